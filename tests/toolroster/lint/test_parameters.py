import pytest

from tests.toolroster.documents import make_document, make_schema
from toolroster.lint import lint


def _found(rule, **fields):
    return [finding for finding in lint(make_document(**fields)) if finding.rule == rule]


def test_properties_inside_objects_and_arrays_are_parameters_too():
    nested = make_schema(
        {
            "properties": {"type": "array", "description": "All.", "items": make_schema({"a/b": True})},
            "$ref": {"$ref": "#/$defs/x"},
        },
        **{"$defs": {"x": make_schema({"id": {"type": "string"}})}},
    )

    found = _found("parameter-description-missing", input_schema=nested)

    assert [(finding.pointer, finding.message) for finding in found] == [
        ("/input_schema/$defs/x/properties/id", "The parameter `id` has no description."),
        (
            "/input_schema/properties/properties/items/properties/a~1b",
            "The parameter `properties.a/b` has no description.",
        ),
    ]


def test_parameters_are_pointed_at_where_the_document_lists_them():
    keywords = make_schema({"zip": {"type": "string"}})
    listed = [{"name": "x", "type": "string", "description": "Y."}, {"name": "where", **keywords}]

    found = _found("parameter-description-missing", parameters=listed)

    assert [finding.pointer for finding in found] == ["/parameters/1", "/parameters/1/properties/zip"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("to", "To"),
        ("user_id", "The user ID."),
        ("userId", "id of the user"),
        ("files", "File"),
        ("数量", "数量"),
        ("value", "The value."),
    ],
)
def test_a_description_of_the_names_words_repeats_the_name(name, text):
    assert _found("parameter-description-repeats-name", parameters=[{"name": name, "description": text}])


@pytest.mark.parametrize(
    ("name", "text"), [("to", "Recipient"), ("user_id", "UUID of the account"), ("数量", "件数")]
)
def test_a_description_with_other_words_says_more(name, text):
    assert not _found("parameter-description-repeats-name", parameters=[{"name": name, "description": text}])


@pytest.mark.parametrize(
    "keywords",
    [
        {"type": "string"},
        {"enum": [1, 2]},
        {"const": None},
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        {"type": ["string", "null"], "default": None},
    ],
)
def test_keywords_that_say_which_values_are_meant_count_as_a_type(keywords):
    assert _found("parameter-type-missing", parameters=[{"name": "a", **keywords}]) == []


@pytest.mark.parametrize(
    ("keywords", "named"),
    [
        ({"default": True}, "boolean"),
        ({"default": 1}, "integer"),
        ({"default": 0.5}, "number"),
        ({"default": -1}, "integer"),
        ({"default": []}, "array"),
        ({"properties": {}}, "object"),
        ({"items": {}}, "array"),
        ({}, "string"),
    ],
)
def test_the_fix_names_the_type_that_the_rest_hints_at(keywords, named):
    (found,) = _found("parameter-type-missing", parameters=[{"name": "a", **keywords}])

    assert found.fix == f'Add "type": "{named}".'


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"type": "boolean"}, "true does"),
        ({"type": ["integer", "null"]}, "lowest"),
        ({"type": "string", "format": "date"}, "2026-11-30"),
        ({"type": "string"}, "example value"),
    ],
)
def test_the_fix_for_a_missing_description_fits_the_type(keywords, words):
    (found,) = _found("parameter-description-missing", parameters=[{"name": "a", **keywords}])

    assert words in found.fix


@pytest.mark.parametrize(
    ("choices", "text", "is_found"),
    [
        (["P1", "P2"], "Priority.", True),
        (["P1", "P2"], None, True),
        (["P1", "P2"], "p1 is urgent.", False),
        (["快", "慢"], "快：一分钟内。", False),  # noqa: RUF001  Chinese
        ([1, 2, 3], "How many.", True),
        ([True, False], "Whether.", False),
        (["only"], "One.", False),
    ],
)
def test_choices_are_explained_by_a_description_that_mentions_one(choices, text, is_found):
    parameters = [{"name": "mode", "enum": choices, "description": text}]

    assert bool(_found("enum-unexplained", parameters=parameters)) is is_found
