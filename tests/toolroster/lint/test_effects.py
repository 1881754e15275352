import pytest

from toolroster.lint import lint

_RULES = {
    "effects-contradict",
    "read-only-doubtful",
    "effects-unstated",
    "destructive-without-scopes",
    "timeout-long",
    "categories-missing",
    "tags-missing",
}


def _found(name="send_email", **fields):
    found = lint({"name": name, **fields})
    return {
        finding.rule: finding
        for finding in found
        if finding.rule in _RULES - {"categories-missing", "tags-missing"}
    }


@pytest.mark.parametrize(
    "name", ["delete_file", "removeUser", "send_email", "create_invoice", "datei_loeschen", "mail_versenden"]
)
def test_a_tool_named_after_a_change_states_its_effects(name):
    assert set(_found(name)) == {"effects-unstated"}
    assert _found(name, capabilities={"destructive": False, "idempotent": True}) == {}


@pytest.mark.parametrize("name", ["get_file", "list_deleted_files", "search", "calculate_send_time"])
def test_a_tool_named_after_reading_need_not(name):
    assert _found(name) == {}


@pytest.mark.parametrize(
    ("name", "likely"), [("delete_file", "true"), ("send_email", "false"), ("a_loeschen", "true")]
)
def test_the_fix_suggests_what_the_verb_makes_likely(name, likely):
    assert f'"destructive": {likely}' in _found(name)["effects-unstated"].fix


def test_null_is_unstated():
    found = _found(capabilities={"destructive": None, "idempotent": False})

    assert "`destructive` is unsaid" in found["effects-unstated"].message


def test_read_only_and_destructive_exclude_each_other():
    found = _found("purge", capabilities={"read_only": True, "destructive": True}, scopes=["a"])

    assert set(found) == {"effects-contradict", "read-only-doubtful"}


def test_a_destructive_tool_asks_for_a_scope():
    capabilities = {"destructive": True, "idempotent": True}

    assert (
        '["file:write"]' in _found("delete_file", capabilities=capabilities)["destructive-without-scopes"].fix
    )
    assert _found("delete_file", capabilities=capabilities, scopes=["file:write"]) == {}


@pytest.mark.parametrize(("timeout_ms", "is_found"), [(60_000, False), (60_001, True)])
def test_a_call_takes_at_most_a_minute(timeout_ms, is_found):
    assert ("timeout-long" in _found("get_file", policy={"timeout_ms": timeout_ms})) is is_found


def test_categories_and_tags_are_asked_for_until_they_are_there():
    bare = {finding.rule for finding in lint({"name": "a"})}
    labelled = {
        finding.rule for finding in lint({"name": "a", "capabilities": {"categories": ["b"], "tags": ["c"]}})
    }

    assert bare - labelled == {"categories-missing", "tags-missing"}
