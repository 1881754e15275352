import pytest
from pydantic import BaseModel, ConfigDict, ValidationError

from tests.toolroster.documents import places, refusal
from toolroster import faults
from toolroster.definition import Part
from toolroster.errors import Fault
from toolroster.spelling import Sent


class _Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    width: int = 0


class _Shape(Part):
    labels: list[str] | str = []
    inner: list[_Inner] | None = None
    either: int | float | list[int] = 0


def _refused(body, sent=None):
    try:
        _Shape.model_validate(body)
    except ValidationError as error:
        return faults.document_invalid(error, model=_Shape, sent=sent or Sent())
    raise AssertionError(f"{body} was accepted")


def test_the_detail_repeats_the_first_fault_and_counts_the_others():
    found = [Fault("/a", "x", "Bad."), Fault("/b", "x", "Worse."), Fault("/c", "x", "Worst.")]

    assert faults.invalid(found).detail == "/a: Bad. (and 2 more)"


def test_a_fault_of_the_whole_document_has_a_name_in_the_detail():
    assert faults.invalid([Fault("", "x", "Bad.")]).detail == "the document: Bad."


def test_a_problem_lists_no_more_than_fifty_faults():
    found = [Fault(f"/{number}", "x", "Bad.") for number in range(60)]

    error = faults.invalid(found)

    assert error.errors == tuple(found[:50])
    assert error.detail.endswith("(and 59 more)")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"labels": 5}, [("/labels", "wrong_type")]),
        ({"labels": [5]}, [("/labels/0", "wrong_type"), ("/labels", "wrong_type")]),
        ({"either": "x"}, [("/either", "wrong_type")]),
        ({"str": 1}, [("/str", "unknown_field")]),
        ({"list[str]": 1}, [("/list[str]", "unknown_field")]),
        ({"a/b~": 1}, [("/a~1b~0", "unknown_field")]),
        ({"inner": [{"int": 1}]}, [("/inner/0/int", "unknown_field")]),
        ([], [("", "wrong_type")]),
    ],
)
def test_a_pointer_has_the_senders_steps_only(body, expected):
    assert places(_refused(body).errors) == expected


def test_the_members_of_a_union_make_one_fault():
    [fault] = _refused({"labels": 5}).errors

    assert fault.detail == "Input should be a valid list; or: Input should be a valid string"


def test_a_pointer_names_the_field_as_it_was_sent():
    error = _refused({"labels": 5}, Sent({"/labels": "/theLabels"}))

    assert places(error.errors) == [("/theLabels", "wrong_type")]


@pytest.mark.parametrize(
    ("body", "nearest"),
    [
        ({"lables": 1}, ("labels",)),
        ({"inner": [{"widht": 1}]}, ("width",)),
        ({"labels": 5, "innr": 1}, ("inner",)),
        ({"qqq": 1}, ()),
        ({"labels": 5}, ()),
    ],
)
def test_an_unknown_field_brings_the_nearest_names_of_its_part(body, nearest):
    assert _refused(body).nearest == nearest


@pytest.mark.parametrize(
    ("fields", "nearest"),
    [
        ({"descripton": "x"}, "description"),
        ({"policy": {"rate_limit": 5}}, "rate_limit_per_minute"),
        ({"capabilities": {"readonly": True}}, "read_only"),
        ({"endpoint": {"url": "http://a", "methd": "GET"}}, "method"),
        ({"alternatives": [{"ref": "a", "argumnts": {}}]}, "arguments"),
    ],
)
def test_the_nearest_names_lead_into_every_part_of_the_document(fields, nearest):
    assert refusal(**fields).nearest[0] == nearest
