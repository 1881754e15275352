import json

import pytest
from hypothesis import given

from tests.toolroster.documents import moderate, values
from toolroster import strict_json
from toolroster.errors import Malformed
from toolroster.strict_json import MAX_DEPTH


def _nested(levels: int, inside: bytes = b"") -> bytes:
    return b"[" * levels + inside + b"]" * levels


@moderate
@given(values)
def test_what_json_can_say_within_the_limits_is_read(value):
    assert strict_json.loads(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    "body",
    [
        _nested(MAX_DEPTH),
        _nested(MAX_DEPTH, b"1"),
        b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH,
        b"18446744073709551615",
        b"-9223372036854775808",
        b"1e308",
        b'"\\ud83d\\ude00"',
        b'{"a": {"a": 1}}',
    ],
)
def test_the_last_value_within_a_limit_is_taken(body):
    assert strict_json.loads(body) == json.loads(body)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not JSON: Expecting value at line 1, column 1"),
        (b"{", "not JSON"),
        (b'{"a": 1} x', "not JSON: Extra data at line 1, column 10"),
        (b"[1,]", "not JSON"),
        (b"'a'", "not JSON"),
        (b'"\x01"', "not JSON: Invalid control character"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b'"\xff"', "not UTF-8: byte 1"),
        ('"a"'.encode("utf-16"), "not UTF-8"),
        (b'"\xed\xa0\x80"', "not UTF-8"),
        (_nested(MAX_DEPTH + 1), "nested deeper than 100"),
        (_nested(MAX_DEPTH + 1, b"1"), "nested deeper than 100"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "nested deeper than 100"),
        (_nested(100_000), "nested deeper than 100"),
        (b"[" * 100_000, "nested deeper than 100"),
        (b'"\\u0000"', "NUL"),
        (b'{"\\u0000": 1}', "NUL"),
        (b'["\\ud800"]', "lone surrogate"),
        (b'"\\ude00\\ud83d"', "lone surrogate"),
        (b'{"a": {"\\udfff": 1}}', "lone surrogate"),
        (b"NaN", "NaN"),
        (b"[Infinity]", "Infinity"),
        (b"-Infinity", "-Infinity"),
        (b"1e400", "too large for a 64-bit float"),
        (b"[-1e400]", "too large for a 64-bit float"),
        (b"18446744073709551616", "does not fit into 64 bits"),
        (b"-9223372036854775809", "does not fit into 64 bits"),
        (b"9" * 10_000, "too many digits"),
        (b'{"a": 1, "b": 2, "a": 1}', "the name 'a' twice"),
        (b'{"a": 1, "\\u0061": 2}', "the name 'a' twice"),
        (b'[{"x": {"a": 1, "a": 1}}]', "the name 'a' twice"),
        (b'{"\\ud800": 1, "\\ud800": 2}', "twice"),
    ],
    ids=lambda value: f"{len(value)}-{value[:25]!r}",
)
def test_a_body_that_later_parts_could_not_keep_is_refused(body, said):
    with pytest.raises(Malformed) as caught:
        strict_json.loads(body)

    assert said in caught.value.detail


def test_a_huge_name_is_cut_in_the_error():
    body = b'{"%s": 1, "%s": 2}' % (b"x" * 5000, b"x" * 5000)

    with pytest.raises(Malformed) as caught:
        strict_json.loads(body)

    assert len(caught.value.detail) < 200


def test_a_refusal_is_a_400():
    assert Malformed("x").problem()["status"] == 400


@pytest.mark.parametrize(
    ("value", "where", "code"),
    [
        ({"a": [0, {"b/c": "x\0"}]}, "/a/1/b~1c", "nul"),
        ({"a": {"bad\0name": 1}}, "/a", "nul"),
        (["\ud800"], "/0", "lone_surrogate"),
        ({"n": 2**64}, "/n", "number_too_large"),
        ({"n": float("inf")}, "/n", "number_too_large"),
    ],
)
def test_the_fault_points_at_what_breaks_the_limit(value, where, code):
    with pytest.raises(Malformed) as caught:
        strict_json.check(value)

    assert [(fault.pointer, fault.code) for fault in caught.value.errors] == [(where, code)]
