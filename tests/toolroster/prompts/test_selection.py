import itertools

import pytest

from tests.toolroster.prompts.registrations import make_registration
from toolroster.errors import DocumentInvalid
from toolroster.prompts.selection import Offer, chosen


def offers(*registrations):
    return [Offer.of(registration, index) for index, registration in enumerate(registrations)]


def versions(*of):
    return offers(*(make_registration(version=version, status=status) for version, status in of))


@pytest.mark.parametrize(
    ("of", "best"),
    [
        ([("1.9.0", "ACTIVE"), ("1.10.0", "ACTIVE")], "1.10.0"),
        ([("1.0.0", "ACTIVE"), ("2.0.0-rc.1", "ACTIVE")], "1.0.0"),
        ([("2.0.0-rc.1", "ACTIVE"), ("2.0.0-rc.2", "ACTIVE")], "2.0.0-rc.2"),
        ([("1.0.0", "ACTIVE"), ("2.0.0", "DEPRECATED")], "1.0.0"),
        ([("1.0.0", "ACTIVE"), ("2.0.0", "RETIRED")], "1.0.0"),
        ([("1.0.0", "ACTIVE"), ("2.0.0", "UNAVAILABLE")], "1.0.0"),
        ([("1.0.0", "DEPRECATED"), ("2.0.0", "DEPRECATED")], "2.0.0"),
        ([("1.0.0+a", "ACTIVE"), ("1.0.0+b", "ACTIVE")], "1.0.0+b"),
    ],
)
def test_of_several_versions_the_best_is_chosen_in_whatever_order_they_come(of, best):
    for order in itertools.permutations(versions(*of)):
        assert [offer.version for offer in chosen(order, ())] == [best]


def test_a_tool_that_cannot_be_called_is_not_chosen():
    assert chosen(versions(("1.0.0", "RETIRED"), ("1.1.0", "UNAVAILABLE")), ()) == []


def test_tools_stay_in_the_order_in_which_they_first_came():
    named = offers(make_registration("b"), make_registration("a"), make_registration("b", version="2.0.0"))

    assert [offer.name for offer in chosen(named, ())] == ["b", "a"]


@pytest.mark.parametrize(
    ("categories", "names"), [((), "abc"), (["x"], "ab"), (["x", "y"], "ab"), (["y"], "b"), (["z"], "")]
)
def test_categories_are_united_without_duplicates(categories, names):
    named = offers(
        make_registration("a", capabilities={"categories": ["x"]}),
        make_registration("b", capabilities={"categories": ["x", "y"]}),
        make_registration("c"),
    )

    assert [offer.name for offer in chosen(named, categories)] == list(names)


def test_an_old_version_does_not_come_back_through_a_category_that_the_new_one_left():
    named = offers(
        make_registration(version="1.0.0", capabilities={"categories": ["x"]}),
        make_registration(version="2.0.0", capabilities={"categories": ["y"]}),
    )

    assert chosen(named, ["x"]) == []


def test_a_document_is_read_without_the_facts_of_the_moment():
    offer = Offer.of({"name": "send", "parameters": [{"name": "to", "type": "string", "required": True}]}, 0)

    assert (offer.tool_id, offer.status) == ("unknown:send:1.0.0", "ACTIVE")
    assert offer.input_schema["required"] == ["to"]


def test_parameters_are_read_from_the_schema_alone():
    offer = Offer.of({"name": "send", "input_schema": {"type": "object", "properties": {"to": {}}}}, 0)

    assert offer.parameters == [{"name": "to", "required": False}]


@pytest.mark.parametrize("document", [{}, {"name": 1}, "send_email", None])
def test_a_tool_without_a_name_is_refused(document):
    with pytest.raises(DocumentInvalid) as refusal:
        Offer.of(document, 3)

    assert refusal.value.errors[0].pointer == "/tools/3/name"
