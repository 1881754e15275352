"""Turn pydantic's findings into our faults: a pointer as sent, a stable code, the nearest valid names."""

import difflib
import re
from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from toolroster.errors import DocumentInvalid, Fault
from toolroster.schema_walk import pointer
from toolroster.spelling import Sent

_CODES = {
    "extra_forbidden": "unknown_field",
    "missing": "missing",
    "literal_error": "not_allowed",
    "string_pattern_mismatch": "pattern",
    "string_too_long": "too_long",
    "string_too_short": "too_short",
    "too_long": "too_long",
    "too_short": "too_short",
    "url_invalid": "url_invalid",
    "version_invalid": "version_invalid",
}
_MOST = 50
"""Faults listed in one problem; a document with more is fixed in rounds."""


def invalid(found: Sequence[Fault], *, nearest: Sequence[str] = ()) -> DocumentInvalid:
    """Return the error for these faults; its detail repeats the first one for readers of one line."""
    first = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    where = first.pointer or "the document"
    return DocumentInvalid(f"{where}: {first.detail}{more}", errors=found[:_MOST], nearest=nearest)


def document_invalid(error: ValidationError, *, model: type[BaseModel], sent: Sent) -> DocumentInvalid:
    """Return the error for what pydantic found in a document of `model`."""
    details = error.errors(include_url=False, include_input=True)
    found = _merged(_fault(item, sent) for item in details)
    return invalid(found, nearest=_nearest(details, model))


def _merged(found: Iterable[Fault]) -> list[Fault]:
    """Make one fault of those that pydantic finds for the members of a union."""
    details: dict[tuple[str, str], list[str]] = {}
    for fault in found:
        details.setdefault((fault.pointer, fault.code), []).append(fault.detail)
    return [Fault(where, code, "; or: ".join(said)) for (where, code), said in details.items()]


def _fault(item: ErrorDetails, sent: Sent) -> Fault:
    code = _CODES.get(item["type"], "wrong_type")
    if item["type"].startswith(("greater_than", "less_than")):
        code = "out_of_range"
    detail = "There is no such field." if code == "unknown_field" else item["msg"]
    return Fault(sent.pointer(pointer(_location(item))), code, detail)


def _location(item: ErrorDetails) -> tuple[str | int, ...]:
    """Return the path without the names that pydantic adds for the members of a union."""
    *above, last = item["loc"] or ("",)
    if item["type"] == "extra_forbidden":  # the last step is the sender's, whatever it looks like
        return *_own_steps(above), last
    return _own_steps(item["loc"])


def _own_steps(location: Iterable[str | int]) -> tuple[str | int, ...]:
    return tuple(step for step in location if isinstance(step, int) or not _UNION_MEMBER.fullmatch(step))


_UNION_MEMBER = re.compile(r"(str|int|float|bool|constrained-\w+|list\[.*\])")


def _nearest(details: list[ErrorDetails], model: type[BaseModel]) -> list[str]:
    unknown = [item["loc"] for item in details if item["type"] == "extra_forbidden"]
    if not unknown:
        return []
    path = unknown[0]
    return difflib.get_close_matches(str(path[-1]), _fields_at(model, path[:-1]), n=3, cutoff=0.5)


def _fields_at(model: type[BaseModel], path: Sequence[Any]) -> list[str]:
    """Return the field names of the part of the document that a path leads to."""
    for step in path:
        field = model.model_fields.get(str(step))
        inner = field and _model_in(field.annotation)
        model = inner or model
    return list(model.model_fields)


def _model_in(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    found = (_model_in(argument) for argument in getattr(annotation, "__args__", ()))
    return next((model for model in found if model is not None), None)
