import pytest

from tests.toolroster.lint.triggers import TRIGGERS
from toolroster.lint import LEVELS, RULES, lint


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_each_rule_is_broken_by_a_document_at_the_place_and_says_how_to_mend_it(rule):
    document, pointer = TRIGGERS[rule.id]

    found = [finding for finding in lint(document) if finding.rule == rule.id]

    assert pointer in [finding.pointer for finding in found]
    assert all(finding.fix and finding.message.endswith((".", ")")) for finding in found)
    assert {finding.level for finding in found} == {rule.level}


def test_each_rule_has_an_id_of_its_own_a_level_and_sentences():
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert {rule.level for rule in RULES} == set(LEVELS)
    assert all(rule.summary.endswith(".") and rule.reason.endswith(".") for rule in RULES)
    assert set(TRIGGERS) == {rule.id for rule in RULES}


@pytest.mark.parametrize("rule", RULES[1:], ids=lambda rule: rule.id)
def test_an_ignored_rule_finds_nothing(rule):
    document, _ = TRIGGERS[rule.id]

    assert rule.id not in {finding.rule for finding in lint(document, ignore=[rule.id])}
