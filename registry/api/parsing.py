"""Bodies and queries, into checked values; errors name fields as they were sent."""

import difflib
from collections.abc import Mapping
from typing import IO, Any, TypeVar

from django.conf import settings
from django.http import QueryDict
from pydantic import BaseModel, ValidationError
from rest_framework.parsers import BaseParser

from toolroster import faults, spelling, strict_json, unicode
from toolroster.errors import BodyTooLarge, DocumentInvalid, Fault

Shape = TypeVar("Shape", bound=BaseModel)


class StrictJSONParser(BaseParser):
    """JSON with the limits of `toolroster.strict_json`, and no larger than MAX_BODY_BYTES."""

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the body's value.

        Raises:
            Malformed, BodyTooLarge.
        """
        body = stream.read(settings.MAX_BODY_BYTES + 1)
        if len(body) > settings.MAX_BODY_BYTES:
            raise BodyTooLarge(f"A body has at most {settings.MAX_BODY_BYTES} bytes.")
        return strict_json.loads(body)


def body_as(shape: type[Shape], data: Any) -> Shape:
    """Return the body as a request shape, in either spelling.

    Raises:
        DocumentInvalid: with a fault for each wrong field.
    """
    if not isinstance(data, dict):
        raise DocumentInvalid(
            "The body is a JSON object.", errors=[Fault("", "not_an_object", "Send an object.")]
        )
    ours, sent = spelling.envelope_from_java(unicode.nfc(data))
    try:
        return shape.model_validate(ours)
    except ValidationError as error:
        raise faults.document_invalid(error, model=shape, sent=sent) from error


def query_as(shape: type[Shape], query: QueryDict) -> Shape:
    """Return the query parameters as a shape: lists where the shape has lists, else one value each.

    Raises:
        DocumentInvalid: an unknown name (with the nearest ones), a repeated or a wrong value.
    """
    values: dict[str, Any] = {}
    sent = spelling.Sent()
    for name in query:
        ours = spelling.query_name_from_java(name)
        sent.pointers[f"/{ours}"] = f"/{name}"
        values[ours] = _value(shape, ours, name, query.getlist(name))
    _check_text(values)
    try:
        return shape.model_validate(values, strict=False)
    except ValidationError as error:
        raise faults.document_invalid(error, model=shape, sent=sent) from error


def _value(shape: type[BaseModel], ours: str, name: str, given: list[str]) -> Any:
    field = shape.model_fields.get(ours)
    if field is None:
        nearest = difflib.get_close_matches(ours, shape.model_fields, n=3, cutoff=0.5)
        fault = Fault(f"/{name}", "unknown_field", "No such query parameter.")
        raise DocumentInvalid(f"/{name}: no such query parameter.", errors=[fault], nearest=nearest)
    if isinstance(field.default, list):
        return given
    if len(given) > 1:
        fault = Fault(f"/{name}", "duplicate", "Send this parameter once.")
        raise DocumentInvalid(f"/{name}: sent more than once.", errors=[fault])
    return given[0]


def _check_text(values: Any) -> None:
    """Refuse what the database cannot take: NUL and lone surrogates, which %-escapes can carry."""
    strict_json.check(values)
