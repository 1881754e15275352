import pytest

from tests.toolroster.documents import make_document
from toolroster.lint import lint


def _found(text):
    found = lint(make_document(description=text))
    return {f.rule: f for f in found if f.rule.startswith(("hidden-", "url-"))}


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("hidden-bidi", "access \u2066level\u2069"),
        ("hidden-bidi", "an \u200fopen mark"),
        ("hidden-zero-width", "pass\u200bword"),
        ("hidden-zero-width", "\ufeffstarts with it"),
        ("hidden-zero-width", "soft\u00adhyphen"),
        ("hidden-zero-width", "joined\u200dwords"),
        ("hidden-zero-width", "two on a letter: \u0645\u200c\u200c\u0645"),
        ("hidden-zero-width", "hangul\u3164filler"),
        ("hidden-zero-width", "selectors that spell: x\ufe01\ufe02"),
        ("hidden-zero-width", "\u2764\ufe0f\U000e0110\U000e0120"),
        ("hidden-tags", "\U0001f3f4\U000e0068\U000e0069\U000e0020\U000e0074\U000e0068\U000e0065"),
        ("hidden-private-use", "\U000f0001"),
        ("hidden-control", "rings \x07"),
        ("hidden-control", "next\u2028line"),
        ("hidden-mixed-scripts", "P\u0430yPal"),
        ("hidden-mixed-scripts", "\u0399nvoice"),
        ("hidden-mixed-scripts", "p\u03b1ssword"),
        ("hidden-markup", "<span style='display : none'>x</span>"),
        ("hidden-markup", '<p class="a" hidden>x</p>'),
        ("hidden-markup", "<style>p { font-size: 0 }</style>"),
        ("hidden-markup", "[//]: # (a comment)"),
        ("hidden-encoded", "0123456789abcdef" * 13),
        ("url-credentials", "redis://:S3cr3t!@cache:6379"),
        ("url-credentials", "https://ghp16C7e42F292c6912E7@github.com/a/b"),
    ],
)
def test_what_is_hidden_is_found(rule, text):
    assert set(_found(text)) == {rule}


@pytest.mark.parametrize(
    "text",
    [
        "Tabs\tand\nlines\r\nare fine, and so are caf\u00e9, na\u00efve and cafe\u0301.",
        "Family \U0001f468\u200d\U0001f469\u200d\U0001f467, hearts \u2764\ufe0f and keycaps 3\ufe0f\u20e3.",
        "Old form \u8fbb\U000e0100 of a character.",
        "Mongolian \u182d\u180b and \u182d\u180e\u1820.",
        "\u0905\u0928\u0941\u0915\u094d\u200d\u0930\u092e",
        "A font-size: 0.5em; opacity: 0.9 inside <p style='opacity: 0.5'>.",
        "An empty comment <!-- --> and an arrow <-- are fine.",
        "-" * 300 + "\n" + "=" * 300 + "\n" + "a" * 300,
        "postgresql://user:password@localhost/shop, https://USER:$TOKEN@example.org, ssh://git@github.com/a.git",
        "mail.to:anna@example.org at 12:30@noon, see http://example.org/a:b@c",
    ],
)
def test_what_writing_needs_is_not_hidden(text):
    assert _found(text) == {}


def test_the_message_names_the_character_and_where_it_stands():
    found = _found("Sends e-mail\u200b to\u200b Anna.")["hidden-zero-width"]

    assert found.message == (
        'The text holds characters without width: U+200B ZERO WIDTH SPACE behind "Sends e-mail"; 2 in all.'
    )
    assert found.fix == 'Delete them, so that the text reads "Sends e-mail to Anna.".'


def test_the_password_is_not_repeated():
    found = _found("Reads https://anna:Tr0ub4dor@mail.example/inbox")["url-credentials"]

    assert "Tr0ub4dor" not in found.message + found.fix
    assert "https://anna:***@" in found.message


def test_both_words_and_letters_of_a_mixed_word_are_shown():
    found = _found("Opens p\u0430ypal.")["hidden-mixed-scripts"]

    assert "U+0430 CYRILLIC SMALL LETTER A" in found.message
