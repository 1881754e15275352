import pytest

from toolroster.lint import lint


def _rules(name):
    return {finding.rule for finding in lint({"name": name}) if finding.rule.startswith("name")}


@pytest.mark.parametrize(
    "name",
    [
        "send_email",
        "sendEmail",
        "getHTTPStatus",
        "search",
        "feiertage_abfragen",
        "chaxun_kuaidi",
        "github_create_issue",
    ],
)
def test_a_name_with_a_verb_is_fine(name):
    assert _rules(name) == set()


@pytest.mark.parametrize("name", ["email", "weather_data", "sender"])
def test_a_name_without_a_verb_gets_advice(name):
    assert _rules(name) == {"name-no-verb"}


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("send_" + "x" * 43, set()),
        ("send_" + "x" * 44, {"name-too-long"}),
        ("send-email", {"name-hyphen"}),
        ("send-" + "x" * 44, {"name-too-long", "name-hyphen"}),
    ],
)
def test_a_name_that_some_provider_refuses_is_a_warning(name, rules):
    assert _rules(name) == rules


def test_the_fix_is_a_name_that_is_safe():
    fixes = {finding.rule: finding.fix for finding in lint({"name": "send-" + "x" * 44})}

    assert "`send_" in fixes["name-hyphen"]
    assert f"`send_{'x' * 43}`" in fixes["name-too-long"]
