"""Every kind of change, its class and the switch that decides otherwise: the tables of COMPAT §3.2."""

from dataclasses import dataclass

from toolroster.compat.policy import CompatPolicy
from toolroster.compat.report import Classification


@dataclass(frozen=True, slots=True)
class Rule:
    """The class of a kind of change, and which it is where the switch is on."""

    classification: Classification
    switch: str = ""
    switched: Classification = "warning"
    review_required: bool = False

    def under(self, policy: CompatPolicy) -> Classification:
        """Return the class under a policy."""
        return self.switched if self.switch and getattr(policy, self.switch) else self.classification


BREAKING, WARNING, INFO = Rule("breaking"), Rule("warning"), Rule("info")
_REVIEWED = Rule("warning", review_required=True)

_INPUT = {
    "param_removed": BREAKING,
    "param_renamed_with_alias": WARNING,
    "param_became_required": BREAKING,
    "param_became_optional": WARNING,
    "param_added_required": BREAKING,
    "param_added_optional": WARNING,
    "param_type_changed": BREAKING,
    "param_type_widened": Rule("breaking", "type_widening"),
    "param_type_narrowed": BREAKING,
    "param_nullable_added": WARNING,
    "param_nullable_removed": BREAKING,
    "param_enum_added": BREAKING,
    "param_enum_value_removed": BREAKING,
    "param_enum_value_added": WARNING,
    "param_enum_removed": WARNING,
    "param_format_added": BREAKING,
    "param_format_changed": BREAKING,
    "param_format_widened": WARNING,
    "param_format_removed": WARNING,
    "param_constraint_tightened": BREAKING,
    "param_constraint_loosened": WARNING,
    "param_pattern_added": BREAKING,
    "param_pattern_changed": BREAKING,
    "param_pattern_removed": WARNING,
    "param_default_changed": Rule("warning", "strict_defaults", "breaking"),
    "param_additional_properties_closed": BREAKING,
    "param_additional_properties_opened": WARNING,
    "param_anyof_branch_added": WARNING,
    "param_anyof_branch_removed": BREAKING,
    "param_oneof_branch_added": BREAKING,
    "param_oneof_branch_widened": WARNING,
    "param_oneof_branch_removed": BREAKING,
    "param_schema_changed": BREAKING,
    "param_schema_widened": WARNING,
    "param_deprecated": WARNING,
    "param_restored": Rule("info"),
}
_OUTPUT = {
    "output_schema_added": WARNING,
    "output_schema_removed": BREAKING,
    "output_field_removed": BREAKING,
    "output_optional_field_removed": Rule("warning", "strict_outputs", "breaking"),
    "output_field_became_optional": BREAKING,
    "output_field_became_required": INFO,
    "output_field_added": WARNING,
    "output_type_changed": BREAKING,
    "output_type_widened": BREAKING,
    "output_type_narrowed": INFO,
    "output_nullable_added": BREAKING,
    "output_nullable_removed": INFO,
    "output_enum_added": INFO,
    "output_enum_removed": BREAKING,
    "output_enum_value_removed": INFO,
    "output_enum_value_added": Rule("warning", "strict_output_enums", "breaking"),
    "output_format_added": INFO,
    "output_format_changed": BREAKING,
    "output_format_widened": BREAKING,
    "output_format_removed": BREAKING,
    "output_constraint_tightened": INFO,
    "output_constraint_loosened": BREAKING,
    "output_pattern_added": INFO,
    "output_pattern_changed": BREAKING,
    "output_pattern_removed": BREAKING,
    "output_additional_properties_closed": INFO,
    "output_additional_properties_opened": WARNING,
    "output_anyof_branch_added": BREAKING,
    "output_anyof_branch_removed": INFO,
    "output_oneof_branch_added": BREAKING,
    "output_oneof_branch_widened": BREAKING,
    "output_oneof_branch_removed": INFO,
    "output_schema_changed": BREAKING,
    "output_schema_narrowed": INFO,
    "output_deprecated": WARNING,
    "output_restored": INFO,
}
_TOOL = {
    "tool_renamed": BREAKING,
    "capability_removed": BREAKING,
    "capability_added": WARNING,
    "scope_required": BREAKING,
    "scope_swapped": BREAKING,
    "scope_narrowed": BREAKING,
    "scope_added": _REVIEWED,
    "scope_removed": _REVIEWED,
    "approval_required": BREAKING,
    "approval_lifted": _REVIEWED,
    "role_removed": BREAKING,
    "policy_environment_removed": BREAKING,
    "policy_tightened": Rule("warning", "strict_policy", "breaking"),
    "policy_loosened": INFO,
    "endpoint_changed": Rule("warning", "endpoint_exposed", "breaking"),
    "endpoint_authentication_changed": BREAKING,
    "transport_changed": BREAKING,
    "read_only_withdrawn": Rule("breaking", review_required=True),
    "destructive_set": Rule("breaking", review_required=True),
    "idempotent_withdrawn": BREAKING,
    "open_world_set": WARNING,
    "annotation_relaxed": INFO,
    "description_changed": _REVIEWED,
    "description_edited": INFO,
    "tool_deprecated": WARNING,
    "tool_restored": INFO,
    "metadata_changed": INFO,
}
RULES: dict[str, Rule] = _INPUT | _OUTPUT | _TOOL


def classification_of(kind: str, policy: CompatPolicy, *, has_default: bool = False) -> Classification:
    """Return the class of a kind of change under a policy."""
    if kind.startswith("param_format_") and not policy.assert_formats:
        return "warning"
    if kind == "param_added_required" and has_default and policy.inject_defaults:
        return "warning"
    if kind == "endpoint_changed" and policy.endpoint_proxied:
        return "info"
    return RULES[kind].under(policy)
