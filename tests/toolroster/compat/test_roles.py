"""Narrower roles lock callers out, whatever the contract says."""

import pytest

from tests.toolroster.documents import make_tool
from toolroster.compat import compare


@pytest.mark.parametrize(
    ("before", "after"), [([], ["a"]), (["a", "b"], ["a"]), (["a", "b"], ["c"]), (["a"], ["b", "c"])]
)
def test_narrower_roles_break(before, after):
    [change] = compare(old=_with_roles(before), new=_with_roles(after)).breaking_changes

    assert (change.kind, change.pointer) == ("role_removed", "/policy/allowed_roles")


@pytest.mark.parametrize(
    ("before", "after"), [([], []), (["a"], []), (["a"], ["b", "a"]), (["a", "b"], ["b", "a", "a"])]
)
def test_roles_that_let_everyone_in_as_before_lock_nobody_out(before, after):
    assert compare(old=_with_roles(before), new=_with_roles(after)).is_compatible


def _with_roles(roles):
    return make_tool(policy={"allowed_roles": roles})
