import unicodedata

import pytest
from hypothesis import given

from tests.toolroster.documents import moderate, values
from toolroster.errors import DocumentInvalid
from toolroster.unicode import nfc

_COMPOSED, _DECOMPOSED = "caf\u00e9", "cafe\u0301"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (_DECOMPOSED, _COMPOSED),
        ([_DECOMPOSED], [_COMPOSED]),
        ({_DECOMPOSED: {"a": _DECOMPOSED}}, {_COMPOSED: {"a": _COMPOSED}}),
        ("\u212a", "K"),
        ("\ufb01", "\ufb01"),
        ("👩\u200d💻", "👩\u200d💻"),
        (None, None),
        (True, True),
        (1.5, 1.5),
    ],
)
def test_text_comes_back_composed(value, expected):
    assert nfc(value) == expected


@moderate
@given(values)
def test_composing_twice_changes_nothing_more(value):
    try:
        once = nfc(value)
    except DocumentInvalid:
        return

    assert nfc(once) == once


@pytest.mark.parametrize(
    "wrap", [lambda value: value, lambda value: [{"a": value}]], ids=["outside", "inside"]
)
def test_two_names_that_look_the_same_are_refused_and_named(wrap):
    with pytest.raises(DocumentInvalid) as caught:
        nfc(wrap({_DECOMPOSED: 1, "b": 2, _COMPOSED: 3}))

    assert _COMPOSED in caught.value.detail


def test_the_value_that_was_given_stays_as_it_was():
    given_value = {"a": [_DECOMPOSED]}

    nfc(given_value)

    assert given_value["a"] == [unicodedata.normalize("NFD", _COMPOSED)]
