"""Bodies and queries, into checked values; errors name fields as they were sent."""

import difflib
from collections.abc import Mapping
from typing import IO, Any, TypeVar
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.http import QueryDict
from pydantic import BaseModel, ValidationError
from rest_framework.parsers import BaseParser
from rest_framework.request import Request

from registry.api import shapes
from toolroster import faults, spelling, strict_json, unicode
from toolroster.errors import BodyTooLarge, DocumentInvalid, Fault, Malformed
from toolroster.schema_walk import pointer

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
        return json_of(stream.read(settings.MAX_BODY_BYTES + 1))


def json_of(body: bytes) -> Any:
    """Return the JSON value of a body that was read up to one byte over the limit.

    Raises:
        Malformed: empty, or not JSON within the limits of `strict_json`.
        BodyTooLarge: over MAX_BODY_BYTES.
    """
    if not body:
        raise Malformed("The body is empty; send JSON.")
    if len(body) > settings.MAX_BODY_BYTES:
        raise BodyTooLarge(f"A body has at most {settings.MAX_BODY_BYTES} bytes.")
    return strict_json.loads(body)


def body_of(request: Request) -> Any:
    """Return the body's JSON value.

    Raises:
        Malformed, BodyTooLarge: from `StrictJSONParser`; also for an empty body, which DRF takes for `{}`.
    """
    return json_of(b"") if request.stream is None else request.data


def check_nothing_sent(request: Request) -> None:
    """Refuse a body where none means anything; `{}` means nothing.

    Raises:
        DocumentInvalid: it has a field.
    """
    if request.stream is not None:
        body_as(shapes.Nothing, request.data)


def body_as(shape: type[Shape], data: Any) -> Shape:
    """Return a body as a request shape, in either spelling.

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


def query_as(shape: type[Shape], request: Request) -> Shape:
    """Return the query parameters of a request as a shape; see `query_text_as`."""
    return query_text_as(shape, request.META.get("QUERY_STRING", ""))


def query_text_as(shape: type[Shape], text: str) -> Shape:
    """Return a query string as a shape: lists where the shape has lists, else one value each.

    `text` holds its bytes as latin-1, as PEP 3333 keeps them.

    An empty value counts as absent: that is how seeds/004's client sends null.

    Raises:
        Malformed: not UTF-8, or NUL in a value.
        DocumentInvalid: an unknown name (with the nearest ones), a repeated or a wrong value.
    """
    _check_encoding(text)
    values: dict[str, Any] = {}
    sent = spelling.Sent()
    for name, given in QueryDict(text.encode("latin-1")).lists():
        ours, where = spelling.query_name_from_java(name), pointer((name,))
        _check_name(shape, ours, where, values)
        if filled := [value for value in given if value]:
            values[ours] = _value(shape, ours, where, filled)
            sent.pointers[pointer((ours,))] = where
    try:
        return shape.model_validate(values, strict=False)
    except ValidationError as error:
        raise faults.document_invalid(error, model=shape, sent=sent) from error


def _check_encoding(text: str) -> None:
    """Refuse a query that is not UTF-8: Django would put U+FFFD for it and go on."""
    try:
        unquote_to_bytes(text.encode("latin-1")).decode()
    except UnicodeDecodeError as error:
        raise Malformed("The query string is not UTF-8.") from error


def _check_name(shape: type[BaseModel], ours: str, where: str, values: Mapping[str, Any]) -> None:
    if ours not in shape.model_fields:
        nearest = difflib.get_close_matches(ours[:100], shape.model_fields, n=3, cutoff=0.5)
        fault = Fault(where, "unknown_field", "There is no such query parameter.")
        raise faults.invalid([fault], nearest=nearest)
    if ours in values:
        raise faults.invalid([Fault(where, "duplicate_field", f"It is {ours} in another spelling.")])


def _value(shape: type[BaseModel], ours: str, where: str, given: list[str]) -> Any:
    if any("\0" in value for value in given):
        detail = "A query parameter cannot hold the NUL character."
        raise Malformed(f"{where}: {detail}", errors=[Fault(where, "nul", detail)])
    if isinstance(shape.model_fields[ours].default, list):
        return given
    if len(given) > 1:
        raise faults.invalid([Fault(where, "duplicate", "Send this parameter once.")])
    return given[0]
