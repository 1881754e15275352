from collections.abc import Iterator

import pytest

from toolroster import errors
from toolroster.errors import DocumentInvalid, Fault, ToolrosterError, Unavailable


def _tree(root: type[ToolrosterError] = ToolrosterError) -> Iterator[type[ToolrosterError]]:
    yield root
    for child in root.__subclasses__():
        yield from _tree(child)


def _library() -> list[type[ToolrosterError]]:
    return [error for error in _tree() if error.__module__.startswith("toolroster")]


def test_every_error_has_a_code_of_its_own():
    codes = [error.code for error in _library()]

    assert len(set(codes)) == len(codes)


@pytest.mark.parametrize("error", _library())
def test_every_error_is_in_the_tree_that_the_module_draws(error):
    assert f" {error.__name__} " in (errors.__doc__ or "")


@pytest.mark.parametrize("error", _library())
def test_every_error_has_the_status_that_the_tree_draws(error):
    line = next(line for line in (errors.__doc__ or "").splitlines() if f" {error.__name__} " in line)

    assert str(error.status) in line or error is ToolrosterError


def test_a_problem_has_the_members_of_the_contract_and_no_others():
    error = DocumentInvalid("/x: wrong.", errors=[Fault("/x", "wrong", "Mend it.")], nearest=["y"])

    assert error.problem() == {
        "type": "urn:toolroster:problem:invalid",
        "title": "The request has invalid values",
        "status": 422,
        "code": "invalid",
        "detail": "/x: wrong.",
        "errors": [{"pointer": "/x", "code": "wrong", "detail": "Mend it."}],
        "retryable": False,
        "retry_after_seconds": None,
        "nearest": ["y"],
    }


def test_a_problem_says_whether_and_when_a_retry_can_help():
    problem = Unavailable("The database is down.", retry_after_seconds=5).problem()

    assert (problem["retryable"], problem["retry_after_seconds"]) == (True, 5)


def test_extension_members_stand_beside_the_others():
    problem = ToolrosterError("No.", extra={"use_version": "2.0.0"}).problem()

    assert problem["use_version"] == "2.0.0"
    assert problem["detail"] == "No."


def test_the_text_of_an_error_is_its_detail():
    assert str(ToolrosterError("No such luck.")) == "No such luck."
