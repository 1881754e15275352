import pytest

from tests.toolroster.documents import make_document
from toolroster.lint import lint


def _rules(**fields):
    return {finding.rule for finding in lint(make_document(**fields))}


@pytest.mark.parametrize(
    "text",
    [
        "向企业微信群或成员发送文本消息。",
        "Sucht Bahnverbindungen zwischen zwei Bahnhöfen.",
        "Post a message to a channel or to a person.",
    ],
)
def test_a_full_sentence_is_long_enough_in_each_language(text):
    assert "description-short" not in _rules(description=text)


@pytest.mark.parametrize("text", ["发送消息。", "Post a message.", "x" + " " * 100, "\u200b" * 100 + "Post"])
def test_a_few_words_are_too_short_whatever_fills_them_up(text):
    assert "description-short" in _rules(description=text)


@pytest.mark.parametrize(
    ("name", "display_name", "text"),
    [
        ("send_email", "", "Sends an email."),
        ("sendEmail", "", "send email"),
        ("send-email", "", "The tool to send emails"),
        ("a", "发送邮件", "发送邮件的工具。"),
        ("a", "E-Mail senden", "Senden der E-Mail"),
    ],
)
def test_a_description_of_the_names_words_repeats_the_name(name, display_name, text):
    found = _rules(name=name, display_name=display_name, description=text)

    assert "description-repeats-name" in found
    assert "description-short" not in found


def test_a_description_with_a_word_of_its_own_does_not_repeat_the_name():
    assert "description-repeats-name" not in _rules(description="Send an email to a customer.")


@pytest.mark.parametrize(
    "text",
    [
        "Use this when a parcel is late.",
        "Useful for weekly reports.",
        "Geeignet für kurze Nachrichten.",
        "Verwende es, wenn ein Paket fehlt.",
        "适合发送通知。",
        "用于查询天气。",
        "当用户询问天气时调用。",
    ],
)
def test_words_on_the_occasion_are_understood(text):
    assert "description-no-occasion" not in _rules(description=text)


@pytest.mark.parametrize(
    "text",
    [
        "Not for bulk mail.",
        "Doesn't read attachments.",
        "Reads at most ten pages.",
        "Only for members of the team.",
        "Nicht für Werbung.",
        "Höchstens zehn Seiten.",
        "不适合群发营销邮件。",
        "仅支持国内地址。",
        "最多返回十条。",
    ],
)
def test_words_on_limits_are_understood(text):
    assert "description-no-limits" not in _rules(description=text)


@pytest.mark.parametrize(
    "text", ["Shows different notes.", "Zeigt verschiedene Notizen an.", "显示不同的只读笔记。"]
)
def test_prose_without_such_words_gets_advice(text):
    assert {"description-no-occasion", "description-no-limits"} <= _rules(description=text)


def test_a_missing_description_is_one_finding():
    rules = {rule for rule in _rules() if rule.startswith("description")}

    assert rules == {"description-missing"}


@pytest.mark.parametrize(
    ("length", "rule"),
    [(1024, None), (1025, "description-long"), (4096, "description-long"), (4097, "description-too-long")],
)
def test_length_counts_characters_in_any_language(length, rule):
    rules = _rules(description="测" * length) & {"description-long", "description-too-long"}

    assert rules == ({rule} if rule else set())


@pytest.mark.parametrize("fields", [{"returns": "The id."}, {"output_schema": {"type": "object"}}])
def test_returns_or_an_output_schema_says_what_comes_back(fields):
    assert "returns-unsaid" not in _rules(**fields)


def test_the_fix_is_made_from_the_document():
    document = make_document(parameters=[{"name": "to", "type": "string", "required": True}])

    (found,) = [finding for finding in lint(document) if finding.rule == "description-missing"]

    assert found.fix.startswith('Write one: "Send email … . Needs `to`. Use it when')
