"""Tokens: whatever the language, a request must meet the words of the tool it means."""

import time

import pytest

from registry.search import tokens


def matches(query, document, language):
    """Return the terms that a query and a document share."""
    return set(tokens.query_terms(query)) & set(tokens.terms(document, language))


@pytest.mark.parametrize(
    ("query", "document", "language"),
    [
        ("sending files", "send_file", "en"),
        ("sendFile", "send_file", "en"),
        ("send.file", "SendFile", "en"),
        ("github", "createGitHubIssue", "en"),
        ("GitHub", "github", "en"),
        ("email", "Send an e-mail", "en"),
        ("E-Mails", "send_email", "en"),
        ("utf 8", "utf8", "en"),
        ("utf8", "UTF-8", "en"),
        ("\uff25\uff2d\uff21\uff29\uff2c", "email", "en"),
        ("cafe", "Find a café", "en"),
        ("Rechnungen prüfen", "Prüft eine Rechnung", "de"),
        ("Rechnung pruefen", "Prüft eine Rechnung", "de"),
        ("STRASSE", "Straße", "de"),
        ("delete_files löschen", "delete_file", "de"),
        ("delete_files löschen", "delete_file", "en"),
        ("查询快递", "根据快递单号查询包裹", "zh"),
        ("票", "预订机票", "zh"),
        ("机票", "预订机票", "zh"),
        ("把Word文档转成PDF", "convert Word to PDF", "en"),
        ("PDF", "把文档转成PDF文件", "zh"),
        ("メール送信", "メールを送信する", "ja"),
        ("이메일", "이메일을 보냅니다", "ko"),
    ],
)
def test_query_meets_document(query, document, language):
    assert matches(query, document, language)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("I need a tool that can send faxes", {"send", "faxes"}),
        ("Is there any tool to send faxes?", {"send", "faxes"}),
        ("please help me to send faxes", {"send", "faxes"}),
        ("Ich brauche ein Werkzeug, das Faxe verschickt", {"faxe", "verschickt"}),
        ("Gibt es ein Tool, mit dem man Faxe verschickt?", {"faxe", "verschickt"}),
        ("我需要一个可以发送传真的工具", {"发送", "送传", "传真"}),
        ("请帮我发送传真", {"发送", "送传", "传真"}),
    ],
)
def test_request_frames_and_stop_words_are_dropped(query, words):
    assert set(tokens.query_terms(query).values()) == words


@pytest.mark.parametrize("word", ["摘要", "申请", "还款", "成都", "要点"])
def test_chinese_words_that_contain_a_frame_character_stay_whole(word):
    assert word in tokens.query_terms(f"给我看这个{word}")


def test_query_of_nothing_but_stop_words_keeps_them():
    assert set(tokens.query_terms("help")) == {"help"}


@pytest.mark.parametrize("query", ["", "   ", "?!…", "🙂", "_-._"])
def test_query_without_words_has_no_terms(query):
    assert tokens.query_terms(query) == {}


def test_query_terms_tell_which_word_they_came_from():
    assert tokens.query_terms("deleted rows")["delet"] == "deleted"


def test_stop_words_of_one_language_are_words_of_the_other():
    assert "die" in tokens.terms("die casting machine", "en")
    assert "die" not in tokens.terms("die Maschine", "de")


def test_names_keep_their_stop_words():
    assert tokens.terms("get help", "en", keep_stop_words=True) == ["get", "help"]


def test_repetitions_count():
    assert tokens.term_counts(tokens.terms("mail, mails and mail", "en")) == {"mail": 3}


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("send_email", "send email"),
        ("getUserByID", "get User By ID"),
        ("HTTPServer.start-now", "HTTP Server start now"),
        ("发送_email", "发送 email"),
    ],
)
def test_name_is_split_into_words(name, words):
    assert tokens.split_name(name) == words


@pytest.mark.parametrize(
    "text", ["x" * 10_000_000, "a-" * 1_000_000, "aB" * 1_000_000, "𠀀" * 1_000_000, "ﷺ " * 500_000]
)
def test_hostile_text_is_bounded(text):
    started_at = time.process_time()

    count = len(tokens.terms(text, "de")) + len(tokens.query_terms(text))

    assert count <= 10 * tokens.MAX_DOCUMENT_CHARACTERS
    assert time.process_time() - started_at < 2
