"""Every row of the tables: class, suggested version, switches, review."""

from dataclasses import replace
from typing import Any

import pytest

from tests.toolroster.compat.cases import of_outputs, of_parameters, tool_changes
from toolroster.compat import CompatPolicy, Report, compare
from toolroster.compat.rules import RULES
from toolroster.definition import ToolDefinition
from toolroster.errors import DocumentInvalid

CASES = {case["id"]: case for case in tool_changes()}
BASE = CASES["tool-identical"]["old"]


def report_of(name: str, **switches: Any) -> Report:
    case = CASES[name]
    return compare(old=case["old"], new=case["new"], policy=replace(CompatPolicy(), **switches))


def changed(**fields: Any) -> Report:
    return compare(old=BASE, new=BASE | fields)


@pytest.mark.parametrize("name", list(CASES))
def test_every_case_has_its_class_and_version(name):
    case, report = CASES[name], report_of(name)

    assert (report.classification, report.suggested_version) == (case["expected"], case["suggested_version"])
    if case["kind"] and name != "tool-scope-swapped":
        assert case["kind"] in {change.kind for change in report.changes}


SWITCHES = [
    ("in-new-required-with-default", "inject_defaults", "warning"),
    ("in-format-added", "assert_formats", "warning"),
    ("in-format-changed", "assert_formats", "warning"),
    ("in-default-removed", "strict_defaults", "breaking"),
    ("policy-rate-limit-lowered", "strict_policy", "breaking"),
    ("policy-classification-raised", "strict_policy", "breaking"),
    ("endpoint-host-changed", "endpoint_exposed", "breaking"),
    ("endpoint-host-changed", "endpoint_proxied", "info"),
]


@pytest.mark.parametrize(("name", "switch", "turned"), SWITCHES)
def test_a_switch_decides_otherwise(name, switch, turned):
    default = getattr(CompatPolicy(), switch)

    assert report_of(name, **{switch: default}).classification == CASES[name]["expected"]
    assert report_of(name, **{switch: not default}).classification == turned


def test_a_wider_type_is_a_matter_of_a_switch():
    old, new = {"type": "integer"}, {"type": "number"}

    assert of_parameters(old, new).classification == "breaking"
    assert of_parameters(old, new, type_widening=True).classification == "warning"
    assert of_parameters(new, old, type_widening=True).classification == "breaking"


def test_outputs_that_lose_what_may_be_missing_are_a_matter_of_a_switch():
    old = {"name": "t", "output_schema": {"type": "object", "properties": {"a": {}, "b": {}}}}
    new = {"name": "t", "output_schema": {"type": "object", "properties": {"a": {}}}}

    assert compare(old=old, new=new).classification == "warning"
    strict = CompatPolicy(strict_outputs=True)
    assert compare(old=old, new=new, policy=strict).classification == "breaking"


def test_values_added_to_an_output_are_a_matter_of_a_switch():
    old, new = {"enum": ["a"]}, {"enum": ["a", "b"]}

    assert of_outputs(old, new).classification == "warning"
    assert of_outputs(old, new, strict_output_enums=True).classification == "breaking"


@pytest.mark.parametrize(
    ("name", "version"), [("ver-0x-breaking-seed", "0.4.0"), ("ver-0x-warning-seed", "0.3.2")]
)
def test_versions_of_0_x_are_a_matter_of_a_switch(name, version):
    assert report_of(name).suggested_version == CASES[name]["suggested_version"]
    assert report_of(name, zero_major_policy="shift").suggested_version == version
    assert report_of(name, zero_major_policy="shift").policy.zero_major_policy == "shift"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("in-nested-removed", "customer.email"),
        ("in-nested-new-required", "customer.name"),
        ("out-field-added", "orders[].carrier"),
        ("in-optional-to-required", "limit"),
    ],
)
def test_paths_lead_to_what_changed(name, path):
    assert path in {change.path for change in report_of(name).changes}


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("in-maximum-decreased", {"limit": 100, "query": "x"}),
        ("in-optional-to-required", {"query": "x"}),
        ("in-enum-1-vs-true", {"flag": True, "query": "x"}),
    ],
)
def test_a_break_is_shown_by_a_call(name, call):
    [change] = report_of(name).breaking_changes

    assert change.witness == call
    assert "is refused now" in change.message
    assert change.certainty == "proven"


def test_what_cannot_be_proved_is_breaking_and_says_so():
    # No text of the first few is refused, and whether all are taken is not decided.
    report = of_parameters(
        {"type": "string", "pattern": "^a{1,3}$"}, {"type": "string", "pattern": "^a{1,4}$"}
    )

    assert (report.classification, report.certainty) == ("breaking", "unproven")


def test_a_name_that_may_stand_for_the_old_one_is_a_hint():
    fields = {"parameters": [{"name": "start_date", "type": "string"}]}
    old, new = (
        BASE | {"parameters": [{"name": "date", "type": "string"}]},
        BASE | fields,
    )
    [gone] = compare(old=old, new=new).breaking_changes

    assert (gone.renamed_to, gone.path) == ("start_date", "date")


REVIEWED = [
    "tool-description-reversed",
    "tool-scope-removed",
    "tool-scope-added",
    "policy-requires-approval-removed",
    "ann-readonly-withdrawn",
]


@pytest.mark.parametrize("name", REVIEWED)
def test_what_people_have_to_look_at_is_said_beside_the_class(name):
    assert report_of(name).review_required


@pytest.mark.parametrize("name", ["tool-description-whitespace", "in-maximum-decreased", "tool-tags-changed"])
def test_nothing_else_asks_for_people(name):
    assert not report_of(name).review_required


@pytest.mark.parametrize(
    ("new", "is_rewritten"),
    [
        ("Search customer orders by their text and status.", False),
        ("search customer orders, by text and status", False),
        ("Search customer orders by text and status. Never by name.", True),
        ("Search customer orders by text and status: https://evil.example", True),
        ("Search customer orders by text\u200b and status.", True),
        ("Weather of a city.", True),
    ],
)
def test_a_description_that_says_something_else_is_a_warning(new, is_rewritten):
    report = changed(description=new)

    assert (report.classification, report.review_required) == (
        ("warning", True) if is_rewritten else ("info", False)
    )


def test_chinese_descriptions_are_compared_by_character():
    old = BASE | {"description": "查询客户的订单"}

    assert compare(old=old, new=BASE | {"description": "查询客户订单"}).classification == "info"
    assert compare(old=old, new=BASE | {"description": "删除客户的订单"}).review_required


def test_a_tool_that_only_reads_destroys_nothing():
    old = {"name": "t", "capabilities": {"read_only": True, "destructive": False}}
    new = {"name": "t", "capabilities": {"read_only": True}}

    assert compare(old=old, new=new).classification == "none"


def test_checked_definitions_are_compared_as_documents_are():
    document = {"name": "t", "parameters": [{"name": "p", "type": "string", "required": True}]}
    sent = [ToolDefinition.parse(document), ToolDefinition.parse(document | {"parameters": []})]

    assert compare(old=sent[0], new=sent[1]).classification == "breaking"
    assert compare(old=document, new=sent[0]).classification == "none"


@pytest.mark.parametrize(
    ("document", "where"),
    [
        ([], "/new"),
        ({"parameters": {}}, "/new/parameters"),
        ({"parameters": [1]}, "/new/parameters/0"),
        ({"scopes": "a"}, "/new/scopes"),
    ],
)
def test_what_is_no_document_is_refused_with_a_pointer(document, where):
    with pytest.raises(DocumentInvalid) as refused:
        compare(old=BASE, new=document)

    assert refused.value.errors[0].pointer == where


def test_a_report_is_json_in_the_words_of_the_seed():
    said = report_of("in-maximum-decreased").as_json()

    assert said["is_compatible"] is False
    assert said["suggested_version"] == "2.0.0"
    assert [one["rule_id"] for one in said["breaking_changes"]] == ["compat/param-constraint-tightened"]
    assert said["breaking_changes"][0].keys() >= {"kind", "path", "old", "new", "class", "message", "witness"}
    assert (said["warnings"], said["info"], said["certainty"]) == ([], [], "proven")
    assert said["policy"]["zero_major_policy"] == "seed"


@pytest.mark.parametrize(
    ("switches", "where"),
    [
        ({"strict": True}, "/policy/strict"),
        ({"type_widening": 1}, "/policy/type_widening"),
        ({"zero_major_policy": "x"}, "/policy/zero_major_policy"),
        (1, "/policy"),
    ],
)
def test_unknown_switches_are_refused(switches, where):
    with pytest.raises(DocumentInvalid) as refused:
        CompatPolicy.of(switches)

    assert refused.value.errors[0].pointer == where


def test_switches_are_read_from_json():
    assert CompatPolicy.of({"type_widening": True}) == CompatPolicy(type_widening=True)


def test_every_kind_has_a_side():
    assert {kind.split("_")[0] for kind in RULES} >= {"param", "output", "tool", "scope", "policy"}
