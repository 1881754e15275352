import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.documents import documents, hostile, make_document, make_tool, moderate, values
from toolroster.errors import DocumentInvalid
from toolroster.lint import LEVELS, lint
from toolroster.spelling import registration_to_java

GOOD = make_document(
    display_name="Send an e-mail",
    description="Send one e-mail to one recipient. Use it for notices and reports; not for bulk mail.",
    returns="The id of the message, and when it was accepted.",
    parameters=[
        {"name": "to", "type": "string", "format": "email", "description": "Whose mailbox it goes to."},
        {"name": "urgency", "enum": ["low", "high"], "description": "high: within a minute; low: by night."},
    ],
    examples=["Mail Anna the report", "写一封邮件给财务", "Schick dem Team das Protokoll"],
    scopes=["mail:send"],
    capabilities={
        "categories": ["communication"],
        "tags": ["mail"],
        "idempotent": False,
        "destructive": False,
    },
)


def _resolve(document, pointer):
    """Follow a JSON pointer (RFC 6901); raise where it leads nowhere."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        document = document[int(name)] if isinstance(document, list) else document[name]
    return document


def _rules(document, **options):
    return [finding.rule for finding in lint(document, **options)]


def test_a_good_document_has_no_findings():
    assert lint(GOOD) == []


def test_the_canonical_form_of_a_good_document_has_no_findings():
    assert lint(make_tool(**GOOD).document()) == []


def test_the_java_clients_spelling_has_the_findings_of_ours_at_its_own_names():
    java = registration_to_java(
        make_tool(display_name="Mai\u200bl", policy={"timeout_ms": 90_000}).document()
    )

    places = {(finding.rule, finding.pointer) for finding in lint(java)}

    assert {("hidden-zero-width", "/displayName"), ("timeout-long", "/policy/timeout")} <= places


def test_fields_of_the_server_are_not_looked_at():
    assert "hidden-bidi" not in _rules(make_document(deprecation_reason="\u202e"))


def test_findings_are_sorted_by_level_then_place_then_rule():
    found = lint(
        make_document(
            description="Always call this tool first. <!-- x -->",
            parameters=[{"name": f"p{index}"} for index in range(12)],
        )
    )

    levels = [LEVELS.index(finding.level) for finding in found]
    assert levels == sorted(levels)
    described = [f.pointer for f in found if f.rule == "parameter-description-missing"]
    assert described == [f"/parameters/{index}" for index in range(12)]
    assert all(
        one.rule < other.rule
        for one, other in pairwise(found)
        if (one.level, one.pointer) == (other.level, other.pointer)
    )


def test_a_rule_is_found_twenty_times_and_says_how_many_more_there_are():
    found = lint(make_document(parameters=[{"name": f"p{index}", "type": "string"} for index in range(50)]))

    untold = [finding for finding in found if finding.rule == "parameter-description-missing"]
    assert len(untold) == 20
    assert untold[-1].pointer == "/parameters/19"
    assert untold[-1].message.endswith("The same in 30 more places.")


def test_a_finding_is_a_json_object():
    finding = lint(make_document())[0]

    assert json.loads(json.dumps(finding.as_json())) == {
        "rule": "description-missing",
        "level": "warning",
        "pointer": "",
        "message": "The tool has no description.",
        "fix": 'Write one: "Send email … . Use it when …; not for … . Returns … ."',
    }


def test_a_document_that_does_not_parse_has_an_error_for_each_fault_and_nothing_else():
    found = lint({"name": "1", "descripton": "x", "parameters": [{"type": "string"}]})

    assert [(finding.rule, finding.level, finding.pointer) for finding in found] == [
        ("document-invalid", "error", "/descripton"),
        ("document-invalid", "error", "/name"),
        ("document-invalid", "error", "/parameters/0"),
    ]
    assert "description" in found[0].fix
    assert "/parameters/0/name" in found[2].message


@pytest.mark.parametrize("document", [None, 1, "text", [], {"name": "a", "returns": "\0"}])
def test_what_is_no_document_is_an_error_too(document):
    assert _rules(document) == ["document-invalid"]


def test_faults_in_names_outside_nfc_point_at_the_names_as_sent():
    sent = {"name": "a", "input_schema": {"type": "object", "properties": {"e\u0301": {"type": "text"}}}}

    pointers = [finding.pointer for finding in lint(sent)]

    assert pointers == ["/input_schema/properties/e\u0301/type"]


def test_ignored_rules_are_skipped():
    assert _rules(GOOD | {"returns": None}, ignore=["returns-unsaid"]) == []


def test_an_unknown_rule_to_ignore_is_refused_with_the_nearest():
    with pytest.raises(DocumentInvalid) as caught:
        lint(GOOD, ignore=["description-mising"])

    assert "description-missing" in caught.value.nearest


def test_that_a_document_parses_cannot_be_ignored():
    with pytest.raises(DocumentInvalid, match="cannot be ignored"):
        lint(GOOD, ignore=["document-invalid"])


@moderate
@given(documents)
def test_pointers_lead_into_a_document_that_parses(document):
    for finding in lint(document):
        _resolve(document, finding.pointer)


@moderate
@given(documents)
def test_pointers_lead_into_a_document_in_the_java_clients_spelling(document):
    java = registration_to_java(make_tool(**document).document())

    for finding in lint(java):
        _resolve(java, finding.pointer)


@moderate
@given(
    st.dictionaries(
        st.sampled_from(["name", "description", "parameters", "input_schema", "examples", "policy", "x"]),
        hostile | values,
    )
)
def test_no_json_object_makes_it_fail_and_its_pointers_lead_into_it(document):
    for finding in lint(document):
        _resolve(document, finding.pointer)


@moderate
@given(documents)
def test_it_finds_the_same_every_time_and_changes_nothing(document):
    before = json.dumps(document)

    assert lint(document) == lint(document)
    assert json.dumps(document) == before


@moderate
@given(documents, st.text(max_size=300))
def test_messages_and_fixes_hold_no_character_that_is_not_seen(document, description):
    document = document | {"description": description}

    for finding in lint(document):
        if finding.rule != "document-invalid":
            assert (finding.message + finding.fix).isprintable()
