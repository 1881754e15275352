"""Language detection, with the texts that people and publishers really write."""

import json
from pathlib import Path

import pytest

from registry.search.language import MAX_CHARACTERS, detect

BACKGROUND = Path(__file__).parents[3] / "registry" / "search" / "means" / "background"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Send an e-mail to the team", "en"),
        ("send_email", "en"),
        ("", "en"),
        ("42 :-)", "en"),
        ("Die Rechnung an den Kunden senden", "de"),
        ("Foto verkleinern", "de"),
        ("Kontostand pruefen", "de"),
        ("die Datei report.pdf nach S3 hochladen", "de"),
        ("Book flights to Zürich for the team", "en"),
        ("查一下天气", "zh"),
        ("把Word文档转成PDF", "zh"),
        ("Translate the word 你好 into English please", "en"),
        ("メールを送信するツール", "ja"),
        ("이메일을 보내는 도구", "ko"),
        ("Ta strona nie istnieje", "en"),
    ],
)
def test_language_of_a_text(text, language):
    assert detect(text) == language


def test_identifiers_in_a_german_text_do_not_make_it_english():
    assert detect("getUserById liefert the_user_with_this_id anhand der Kennung") == "de"


@pytest.mark.parametrize("file_name", ["requests.jsonl", "tools.jsonl"])
@pytest.mark.parametrize("language", ["en", "de", "zh"])
def test_language_of_short_texts_is_nearly_always_right(file_name, language):
    rows = [json.loads(line) for line in (BACKGROUND / file_name).read_text().splitlines()]

    wrong = [row[language] for row in rows if detect(row[language]) != language]

    assert len(wrong) <= len(rows) * 0.03, wrong


def test_only_the_beginning_of_a_huge_text_is_read():
    assert detect("the tool is for you " * MAX_CHARACTERS + "und nicht für dich " * MAX_CHARACTERS) == "en"
