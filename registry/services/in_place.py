"""What may change in a version that is published: anything that keeps what its callers rely on."""

from oauth.principal import Principal
from registry.models import ToolRegistration
from registry.services.compatibility import faults
from toolroster import contract
from toolroster.compat import CompatPolicy, compare
from toolroster.definition import ToolDefinition
from toolroster.errors import Conflict, ContractChanged, Fault


def check(
    published: ToolRegistration,
    current: ToolDefinition,
    sent: ToolDefinition,
    *,
    principal: Principal,
    switches: CompatPolicy,
) -> None:
    """Let a document pass that may replace the current one of a published version.

    Raises:
        ContractChanged: the contract differs.
        Conflict: it differs in build metadata; or it breaks callers, roles locked out for instance, and the
            principal is no operator.
    """
    if published.version != sent.version:
        raise Conflict(
            f"{published.version} is published; build metadata does not make another version.",
            errors=[Fault("/version", "duplicate", "Raise major, minor or patch.")],
        )
    if changed := contract.differences(current, sent):
        raise _another_contract(published, current, sent, switches, changed)
    if principal.has("tools:admin"):
        return
    breaking = compare(old=current, new=sent, policy=switches).breaking_changes
    if breaking:
        raise Conflict(
            f"{sent.tool_id} is published: this would break its callers. Register a higher version, or ask"
            " an operator.",
            errors=faults(breaking),
        )


def _another_contract(
    published: ToolRegistration,
    current: ToolDefinition,
    sent: ToolDefinition,
    switches: CompatPolicy,
    changed: list[Fault],
) -> ContractChanged:
    taken = ToolRegistration.objects.filter(of_tool=published.of_tool).values_list("version", flat=True)
    report = compare(old=current, new=sent, policy=switches, published=tuple(taken))
    use_version = report.suggested_version
    return ContractChanged(
        f"{published.tool_id} is published with another contract. Register it as {use_version}.",
        errors=changed,
        extra={"use_version": use_version, "compatibility": report.as_json()},
    )
