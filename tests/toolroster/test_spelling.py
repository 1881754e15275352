import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.documents import documents, faults_of, make_document, make_tool, moderate, places
from toolroster import spelling
from toolroster.definition import ToolDefinition
from toolroster.errors import DocumentInvalid
from toolroster.spelling import (
    Sent,
    answer_to_java,
    document_from_java,
    envelope_from_java,
    query_name_from_java,
    registration_to_java,
)

TOP = [
    ("toolId", "tool_id"),
    ("displayName", "display_name"),
    ("registeredAt", "registered_at"),
    ("lastHeartbeatAt", "last_heartbeat_at"),
    ("inputSchema", "input_schema"),
    ("outputSchema", "output_schema"),
]
CAPABILITIES = [("costLevel", "cost_level"), ("readOnly", "read_only"), ("openWorld", "open_world")]
POLICY = [
    ("rateLimit", "rate_limit_per_minute"),
    ("maxConcurrentCalls", "max_concurrent_calls"),
    ("allowedRoles", "allowed_roles"),
    ("requiresApproval", "requires_approval"),
]
PARAMETER = [
    ("defaultValue", "default"),
    ("enumValues", "enum"),
    ("requiredProperties", "required_properties"),
]
ENVELOPE = [
    ("providerInstance", "provider_instance"),
    ("instanceEndpoint", "instance_endpoint"),
    ("toolIds", "tool_ids"),
    ("topK", "top_k"),
    ("maxTokens", "max_tokens"),
    ("includeDeprecated", "include_deprecated"),
    ("costLevel", "cost_level"),
    ("readOnly", "read_only"),
]


def _around(part, member):
    return (
        {"parameters": [{"name": "a"} | member]}
        if part == "parameters"
        else {part: member}
        if part
        else member
    )


_NAMES = [
    (part, java, ours)
    for part, names in (
        ("", TOP),
        ("capabilities", CAPABILITIES),
        ("policy", POLICY),
        ("parameters", PARAMETER),
    )
    for java, ours in names
]


@pytest.mark.parametrize(("part", "java", "ours"), _NAMES)
def test_each_java_name_becomes_ours(part, java, ours):
    translated, _ = document_from_java(_around(part, {java: "x"}))

    assert translated == _around(part, {ours: "x"})


@pytest.mark.parametrize(("part", "java", "ours"), _NAMES)
def test_our_own_spelling_passes_unchanged(part, java, ours):
    document = _around(part, {ours: "x"})

    assert document_from_java(document)[0] == document


@pytest.mark.parametrize(("part", "java", "ours"), _NAMES)
def test_each_of_our_names_is_served_in_java_spelling(part, java, ours):
    assert registration_to_java(_around(part, {ours: "x"})) == _around(part, {java: "x"})


@pytest.mark.parametrize(("part", "java", "ours"), _NAMES)
@pytest.mark.parametrize("java_first", [True, False])
def test_both_spellings_at_once_are_refused(part, java, ours, java_first):
    names = (java, ours) if java_first else (ours, java)
    where = {"": "", "parameters": "/parameters/0"}.get(part, f"/{part}")

    with pytest.raises(DocumentInvalid) as caught:
        document_from_java(_around(part, dict.fromkeys(names, "x")))

    assert places(caught.value.errors) == [(f"{where}/{names[1]}", "duplicate_field")]


@pytest.mark.parametrize(("java", "ours"), ENVELOPE)
def test_the_fields_around_documents_are_translated(java, ours):
    translated, sent = envelope_from_java({java: [1]})

    assert translated == {ours: [1]}
    assert sent.pointer(f"/{ours}/0") == f"/{java}/0"


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        ("includeDeprecated", "include_deprecated"),
        ("costLevel", "cost_level"),
        ("category", "category"),
        ("x", "x"),
    ],
)
def test_query_names_are_translated(sent, expected):
    assert query_name_from_java(sent) == expected


@pytest.mark.parametrize(
    ("duration", "milliseconds"),
    [
        ("PT5S", 5000),
        ("PT0.5S", 500),
        ("PT1M30.5S", 90_500),
        ("PT1H", 3_600_000),
        ("P1D", 86_400_000),
        ("P1DT1H1M1S", 90_061_000),
        ("PT36H", 129_600_000),
        ("pt5s", 5000),
        ("PT0S", 0),
        ("PT0.0015S", 2),
        ("PT5.000000000S", 5000),
        (5, 5000),
        (0.5, 500),
        (5.000000001, 5000),
        (0, 0),
        (None, None),
    ],
)
@pytest.mark.parametrize(
    ("part", "java", "ours"),
    [("policy", "timeout", "timeout_ms"), ("capabilities", "avgLatency", "avg_latency_ms")],
)
def test_a_duration_becomes_milliseconds(part, java, ours, duration, milliseconds):
    translated, _ = document_from_java({part: {java: duration}})

    assert translated == {part: {ours: milliseconds}}


@pytest.mark.parametrize(
    "duration",
    [
        "",
        "5",
        "P",
        "PT",
        "P1DT",
        "PT5",
        "5S",
        "T5S",
        "PT-5S",
        "-PT5S",
        "P1Y",
        "P1M",
        "P1W",
        "PT5S ",
        "PT1S1M",
        "PT1.5M",
        "PT.5S",
        "PT5.S",
        "PT\u0665S",
        "PT5,5S",
        "PT1e3S",
        "PT" + "9" * 100 + "S",
        "PT5S\n",
    ],
)
def test_what_is_no_duration_is_pointed_at(duration):
    assert faults_of(policy={"timeout": duration}) == [("/policy/timeout", "duration_invalid")]


@pytest.mark.parametrize(
    ("duration", "code"),
    [
        (True, "wrong_type"),
        ([5], "wrong_type"),
        ({}, "wrong_type"),
        (-5, "out_of_range"),
        (0, "out_of_range"),
        ("PT0S", "out_of_range"),
        ("P365D", "out_of_range"),
        (2**63, "out_of_range"),
        (1e300, "wrong_type"),
        (1e308, "wrong_type"),
        ("P" + "9" * 60 + "D", "wrong_type"),
    ],
)
def test_a_duration_out_of_range_is_pointed_at_as_it_was_sent(duration, code):
    assert faults_of(policy={"timeout": duration}) == [("/policy/timeout", code)]


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [
        (0, "PT0S"),
        (1, "PT0.001S"),
        (500, "PT0.5S"),
        (5000, "PT5S"),
        (90_500, "PT90.5S"),
        (1_234_567, "PT1234.567S"),
        (86_399_999, "PT86399.999S"),
        (10_000, "PT10S"),
        (None, None),
    ],
)
def test_milliseconds_are_served_as_a_duration(milliseconds, expected):
    assert registration_to_java({"policy": {"timeout_ms": milliseconds}}) == {"policy": {"timeout": expected}}


@moderate
@given(st.integers(1, 3_600_000))
def test_no_millisecond_is_lost_on_the_way_to_java_and_back(milliseconds):
    java = registration_to_java({"policy": {"timeout_ms": milliseconds}})

    assert document_from_java(java)[0] == {"policy": {"timeout_ms": milliseconds}}


@moderate
@given(documents)
def test_a_document_survives_the_way_to_java_and_back(document):
    tool = ToolDefinition.parse(document)

    assert ToolDefinition.parse(registration_to_java(tool.document())) == tool


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"displayName": 5}, ("/displayName", "wrong_type")),
        ({"display_name": 5}, ("/display_name", "wrong_type")),
        ({"policy": {"rateLimit": "100"}}, ("/policy/rateLimit", "wrong_type")),
        ({"policy": {"rateLimit": 0}}, ("/policy/rateLimit", "out_of_range")),
        ({"policy": {"allowedRoles": ["a", ""]}}, ("/policy/allowedRoles/1", "too_short")),
        ({"capabilities": {"costLevel": "low"}}, ("/capabilities/costLevel", "not_allowed")),
        ({"capabilities": {"avgLatency": "soon"}}, ("/capabilities/avgLatency", "duration_invalid")),
        ({"parameters": [{"name": "a", "enumValues": "x"}]}, ("/parameters/0/enumValues", "wrong_type")),
        ({"parameters": [{"name": "a", "enumValues": []}]}, ("/parameters/0/enumValues", "contradiction")),
        (
            {"parameters": [{"name": "b"}, {"name": "a", "type": "string", "defaultValue": 5}]},
            ("/parameters/1/defaultValue", "contradiction"),
        ),
        (
            {"parameters": [{"name": "a", "type": "object", "requiredProperties": [1]}]},
            ("/parameters/0/requiredProperties/0", "schema_invalid"),
        ),
        ({"inputSchema": {"type": "string"}}, ("/inputSchema/type", "not_an_object")),
        ({"outputSchema": {"type": 5}}, ("/outputSchema/type", "schema_invalid")),
    ],
)
def test_an_error_names_the_field_as_it_was_sent(fields, expected):
    assert faults_of(**fields) == [expected]


def test_a_pointer_that_was_not_renamed_stays():
    assert (
        Sent({"/policy/timeout_ms": "/policy/timeout"}).pointer("/policy/timeout_msx/0")
        == "/policy/timeout_msx/0"
    )


def test_names_inside_schemas_are_never_translated():
    schema = {
        "type": "object",
        "properties": {
            "toolId": {"type": "object", "properties": {"displayName": {}}},
            "costLevel": {"readOnly": True},
        },
        "required": ["toolId"],
    }

    tool = make_tool(inputSchema=schema, outputSchema=schema)

    assert (tool.input_schema, tool.output_schema) == (schema, schema)
    assert registration_to_java(tool.document())["inputSchema"] == schema


def test_a_parameter_may_be_called_like_a_field():
    tool = make_tool(parameters=[{"name": "displayName"}, {"name": "toolId", "defaultValue": "x"}])

    assert tool.input_schema["properties"] == {"displayName": {}, "toolId": {"default": "x"}}


def test_constants_of_alternatives_are_not_translated():
    alternatives = [{"ref": "other", "arguments": {"displayName": {"toolId": 1}}}]

    assert make_tool(alternatives=alternatives).document()["alternatives"] == alternatives


def test_the_document_of_the_seeds_java_client_registers():
    document = {
        "toolId": "mail:send_email:1.2.0",
        "provider": "mail",
        "name": "send_email",
        "version": "1.2.0",
        "displayName": None,
        "description": "发送邮件",
        "parameters": [
            {
                "name": "to",
                "type": "string",
                "description": "收件人",
                "required": True,
                "defaultValue": None,
                "format": None,
                "enumValues": None,
            }
        ],
        "endpoint": None,
        "capabilities": {
            "categories": ["communication"],
            "tags": ["async"],
            "costLevel": "LOW",
            "idempotent": False,
            "readOnly": False,
            "avgLatency": None,
        },
        "policy": {"rateLimit": 100, "timeout": "PT5S", "allowedRoles": None, "requiresApproval": False},
        "status": "ACTIVE",
        "registeredAt": [2024, 5, 1, 12, 0],
        "lastHeartbeatAt": None,
    }

    tool = ToolDefinition.parse(document)

    assert tool.tool_id == "mail:send_email:1.2.0"
    assert tool.policy.timeout_ms == 5000
    assert tool.input_schema == {
        "type": "object",
        "properties": {"to": {"type": "string", "description": "收件人"}},
        "required": ["to"],
    }


REGISTRATION = {
    "tool_id": "a:b:1.0.0",
    "contract_hash": "c",
    "policy": {"timeout_ms": 5000},
    "parameters": [],
}
JAVA = {"toolId": "a:b:1.0.0", "contractHash": "c", "policy": {"timeout": "PT5S"}, "parameters": []}


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (REGISTRATION, JAVA),
        ({"results": [REGISTRATION], "next": None}, [JAVA]),
        ({"results": []}, []),
        (
            {
                "results": [{"tool": REGISTRATION, "similarity": 0.5, "score": 1, "why": "x"}],
                "nothing_fits": False,
            },
            [{"tool": JAVA, "similarity": 0.5, "score": 1, "why": "x"}],
        ),
        (
            {"results": [{"tool_id": "a:b:1.0.0", "outcome": "renewed"}], "next_beat_seconds": 30},
            {"results": [{"toolId": "a:b:1.0.0", "outcome": "renewed"}], "nextBeatSeconds": 30},
        ),
        (
            {"results": [{"tool_id": "a:b:1.0.0", "outcome": "created", "changes": [], "problem": None}]},
            [{"toolId": "a:b:1.0.0", "outcome": "created", "changes": [], "problem": None}],
        ),
        ({"status": "ok"}, {"status": "ok"}),
        ({"results": "x"}, {"results": "x"}),
        (["x"], ["x"]),
        ({"results": ["x", 1]}, ["x", 1]),
        (None, None),
    ],
)
def test_each_answer_is_served_as_the_java_client_expects(answer, expected):
    assert answer_to_java(answer) == expected


def test_a_registration_with_parts_missing_is_served_without_them():
    assert spelling.registration_to_java({"capabilities": None}) == {"capabilities": None}


@pytest.mark.parametrize("part", ["capabilities", "policy", "parameters"])
@pytest.mark.parametrize("value", ["x", 5, [5]])
def test_a_part_of_the_wrong_type_is_left_for_the_document_to_refuse(part, value):
    document = make_document(**{part: value})

    assert document_from_java(document)[0] == document
