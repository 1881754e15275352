"""The Java client's spelling (seeds/004, camelCase) of the registration document, in and out.

Only names of the document's own fields are translated, never names inside schemas. Durations are
ISO 8601 (`PT5S`) or a number of seconds in Java, milliseconds here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from toolroster.errors import DocumentInvalid, Fault

_TOP = {
    "toolId": "tool_id",
    "displayName": "display_name",
    "inputSchema": "input_schema",
    "outputSchema": "output_schema",
    "registeredAt": "registered_at",
    "updatedAt": "updated_at",
    "lastHeartbeatAt": "last_heartbeat_at",
    "deprecatedAt": "deprecated_at",
    "yankedAt": "yanked_at",
    "sunsetAt": "sunset_at",
    "replacedBy": "replaced_by",
    "deprecationReason": "deprecation_reason",
    "contractHash": "contract_hash",
}
_PARAMETER = {"defaultValue": "default", "enumValues": "enum", "requiredProperties": "required_properties"}
_CAPABILITIES = {
    "costLevel": "cost_level",
    "readOnly": "read_only",
    "openWorld": "open_world",
    "avgLatency": "avg_latency_ms",
}
_POLICY = {
    "rateLimit": "rate_limit_per_minute",
    "timeout": "timeout_ms",
    "maxConcurrentCalls": "max_concurrent_calls",
    "allowedRoles": "allowed_roles",
    "requiresApproval": "requires_approval",
}
_DURATIONS = frozenset({"avgLatency", "timeout"})
_ENVELOPE = {
    "providerInstance": "provider_instance",
    "instanceEndpoint": "instance_endpoint",
    "toolIds": "tool_ids",
    "topK": "top_k",
    "maxTokens": "max_tokens",
    "includeDeprecated": "include_deprecated",
    "costLevel": "cost_level",
    "readOnly": "read_only",
    "includePrerelease": "include_prerelease",
    "compatibilityOverride": "compatibility_override",
    "sunsetAt": "sunset_at",
    "replacedBy": "replaced_by",
    "versionConstraint": "version_constraint",
    "sessionId": "session_id",
    "approvalId": "approval_id",
    "dryRun": "dry_run",
    "timeoutMs": "timeout_ms",
}
_ANSWER = _ENVELOPE | {
    "nextBeatSeconds": "next_beat_seconds",
    "nothingFits": "nothing_fits",
    "nearDuplicates": "near_duplicates",
    "callId": "call_id",
    "durationMs": "duration_ms",
    "expiresAt": "expires_at",
    "requiresApproval": "requires_approval",
}
_REPORT = {
    "isCompatible": "is_compatible",
    "breakingChanges": "breaking_changes",
    "oldVersion": "old_version",
    "suggestedVersion": "suggested_version",
    "reviewRequired": "review_required",
    "comparedWith": "compared_with",
    "versionIsSufficient": "version_is_sufficient",
}
_CHANGE = {"ruleId": "rule_id", "reviewRequired": "review_required", "renamedTo": "renamed_to"}
_ISO_DURATION = re.compile(
    r"P(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.ASCII | re.IGNORECASE
)
_UNIT_SECONDS = (86_400, 3_600, 60, 1)
_LONGEST_DURATION = 64

Names = dict[str, str]


@dataclass(slots=True)
class Sent:
    """How the fields of a document were spelled by its sender: our pointer → the pointer as sent."""

    pointers: dict[str, str] = field(default_factory=dict)

    def pointer(self, ours: str) -> str:
        """Return the pointer as the sender knows it; unknown parts stay as they are."""
        head, tail = ours, ""
        while head:
            if head in self.pointers:
                return self.pointers[head] + tail
            head, _, step = head.rpartition("/")
            tail = f"/{step}{tail}"
        return ours


def document_from_java(document: dict[str, Any]) -> tuple[dict[str, Any], Sent]:
    """Translate a registration document; one in our own spelling passes unchanged.

    Raises:
        DocumentInvalid: a field stands in both spellings, or a duration cannot be read.
    """
    sent = Sent()
    ours = _rename(document, _TOP, "", "", sent)
    for name, names in (("capabilities", _CAPABILITIES), ("policy", _POLICY)):
        if isinstance(ours.get(name), dict):
            ours[name] = _rename(ours[name], names, f"/{name}", f"/{name}", sent)
    if isinstance(ours.get("parameters"), list):
        ours["parameters"] = [
            _rename(item, _PARAMETER, f"/parameters/{index}", f"/parameters/{index}", sent)
            if isinstance(item, dict)
            else item
            for index, item in enumerate(ours["parameters"])
        ]
    return ours, sent


def envelope_from_java(body: dict[str, Any]) -> tuple[dict[str, Any], Sent]:
    """Translate the fields around documents: heartbeat, deregister, search and provider form."""
    sent = Sent()
    return _rename(body, _ENVELOPE, "", "", sent), sent


def query_name_from_java(name: str) -> str:
    """Return our name of a query parameter (`includeDeprecated` → `include_deprecated`)."""
    return _ENVELOPE.get(name, name)


def _rename(value: dict[str, Any], names: Names, ours_at: str, sent_at: str, sent: Sent) -> dict[str, Any]:
    renamed: dict[str, Any] = {}
    for key, item in value.items():
        name = names.get(key, key)
        if name in renamed:
            raise DocumentInvalid(
                "A field stands twice, in both spellings.",
                errors=[Fault(f"{sent_at}/{key}", "duplicate_field", f"It is {name} in another spelling.")],
            )
        if name != key:
            sent.pointers[f"{ours_at}/{name}"] = f"{sent_at}/{key}"
        renamed[name] = _milliseconds(item, f"{sent_at}/{key}") if key in _DURATIONS else item
    return renamed


def _milliseconds(value: Any, pointer: str) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _rounded(value * 1000)
    if not isinstance(value, str):
        return value  # null is absent; other types are refused with the document
    match = _ISO_DURATION.fullmatch(value) if len(value) <= _LONGEST_DURATION else None
    if match is None or not any(match.groups()):
        raise DocumentInvalid(
            "A duration cannot be read.",
            errors=[Fault(pointer, "duration_invalid", "Write ISO 8601 such as PT5S, or seconds.")],
        )
    parts = zip(match.groups(), _UNIT_SECONDS, strict=True)
    return _rounded(sum(float(number or 0) * seconds for number, seconds in parts) * 1000)


def _rounded(milliseconds: float) -> int | float:
    """Return whole milliseconds; a value that no integer can hold stays, to be refused with the document."""
    return round(milliseconds) if abs(milliseconds) < 2**53 else milliseconds


def _iso_duration(milliseconds: Any) -> Any:
    if not isinstance(milliseconds, int):
        return milliseconds  # null
    seconds = f"{milliseconds // 1000}.{milliseconds % 1000:03}".rstrip("0").rstrip(".")
    return f"PT{seconds}S"


def registration_to_java(registration: dict[str, Any]) -> dict[str, Any]:
    """Translate a registration as the platform serves it into the Java client's spelling."""
    java = _respell(registration, _TOP)
    if isinstance(java.get("capabilities"), dict):
        java["capabilities"] = _respell(java["capabilities"], _CAPABILITIES)
    if isinstance(java.get("policy"), dict):
        java["policy"] = _respell(java["policy"], _POLICY)
    if isinstance(java.get("parameters"), list):
        java["parameters"] = [_respell(item, _PARAMETER) for item in java["parameters"]]
    return java


def answer_to_java(answer: Any) -> Any:
    """Translate an answer: lists of registrations become bare arrays, as seeds/004's client expects."""
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        return _result_to_java(answer)
    results = [_result_to_java(item) for item in answer["results"]]
    is_beat = "next_beat_seconds" in answer  # the one list that says more than its results
    return _result_to_java({**answer, "results": results}) if is_beat else results


def _result_to_java(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    if "contract_hash" in item or "registered_at" in item:
        return registration_to_java(item)
    if "suggested_version" in item:
        return _report_to_java(item)
    if isinstance(item.get("compatibility"), dict):
        item = {**item, "compatibility": _report_to_java(item["compatibility"])}
    if isinstance(item.get("tool"), dict):
        return {**_respell(item, _ANSWER), "tool": registration_to_java(item["tool"])}
    return _respell(item, _ANSWER | _TOP)


def _report_to_java(report: dict[str, Any]) -> dict[str, Any]:
    lists = {name: [_respell(one, _CHANGE) for one in report[name]] for name in _CHANGES if name in report}
    return _respell({**report, **lists}, _REPORT)


_CHANGES = ("breaking_changes", "warnings", "info")


def _respell(item: dict[str, Any], names: Names) -> dict[str, Any]:
    back = {ours: java for java, ours in names.items()}
    spelled: Callable[[str, Any], Any] = lambda key, value: (  # noqa: E731 - one use, reads as the rule
        _iso_duration(value) if back.get(key) in _DURATIONS else value
    )
    return {back.get(key, key): spelled(key, value) for key, value in item.items()}
