"""From the query of a resolution to the reference that it means, and to what was wrong with it."""

from registry.api import shapes
from registry.models import ToolRegistration
from registry.services import resolution
from registry.services.resolution import Asking
from toolroster.errors import (
    DocumentInvalid,
    Fault,
    NoMatchingVersion,
    RangeInvalid,
    ReferenceInvalid,
    ToolrosterError,
)
from toolroster.reference import Reference, is_provider, is_tool_name, make_reference, parse_reference


def resolved(sent: shapes.ResolveQuery, *, asking: Asking) -> ToolRegistration:
    """Return the registration that is meant; errors point at the query parameter to blame.

    Raises:
        ToolrosterError: as `services.resolution.resolve` does.
    """
    try:
        return resolution.resolve(_reference(sent), asking=asking)
    except ToolrosterError as error:
        if error.status < 500:  # else nothing that was sent is to blame
            error.errors = error.errors or (Fault(_blamed(error, sent), error.code, error.detail),)
        raise


def _reference(sent: shapes.ResolveQuery) -> Reference:
    if (sent.ref is None) == (sent.name is None):
        fault = Fault("/ref", "missing", "Send `ref`, or `name` with `version` and `provider`.")
        raise DocumentInvalid("Send either `ref` or `name`.", errors=[fault])
    if sent.name is not None:
        return make_reference(name=sent.name, provider=sent.provider, version_range=sent.version)
    if sent.version is not None or sent.provider is not None:
        fault = Fault("/ref", "contradiction", "`ref` holds provider and range already.")
        raise DocumentInvalid("`ref` goes without `version` and `provider`.", errors=[fault])
    return parse_reference(sent.ref or "")


def _blamed(error: ToolrosterError, sent: shapes.ResolveQuery) -> str:
    """Return the pointer of the query parameter that an error is about."""
    if sent.name is None:
        return "/ref"
    if not is_tool_name(sent.name):
        return "/name"
    if sent.provider is not None and not is_provider(sent.provider.lower()):
        return "/provider"
    is_range = isinstance(error, RangeInvalid | NoMatchingVersion | ReferenceInvalid)
    return "/version" if is_range else "/name"
