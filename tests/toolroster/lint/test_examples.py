import pytest

from tests.toolroster.documents import make_document
from toolroster.lint import lint


def _found(examples, **fields):
    found = lint(make_document(examples=examples, **fields))
    return [(finding.rule, finding.pointer) for finding in found if finding.rule.startswith("examples")]


def test_three_different_examples_are_enough():
    assert _found(["Mail Anna the report", "Write to the bank", "给财务发邮件"]) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mail Anna the report", "mail Anna the report!"),
        ("Mail Anna the report", "The report: mail Anna."),
        ("给财务发一封邮件", "给财务发一封邮件。"),
    ],
)
def test_the_same_request_twice_is_found(one, other):
    assert ("examples-repeat", "/examples/1") in _found([one, other])


@pytest.mark.parametrize(("one", "other"), [("Mail Anna", "Mail Bob"), ("给财务发邮件", "给老板写信")])
def test_two_requests_for_different_things_are_not_the_same(one, other):
    assert ("examples-repeat", "/examples/1") not in _found([one, other])


@pytest.mark.parametrize(
    ("description", "example"),
    [
        ("Queue a message for a person. Not for files.", "queue a message for a person"),
        ("Queue messages for people.", "Queue the message for people"),
        ("查询包裹的物流轨迹。不支持国际件。", "查询包裹的物流轨迹"),
    ],
)
def test_a_request_in_the_descriptions_words_is_found(description, example):
    assert ("examples-repeat-description", "/examples/0") in _found([example], description=description)


@pytest.mark.parametrize("example", ["Where is my parcel?", "…", "我的快递到哪了"])
def test_a_request_in_a_persons_words_is_not_found(example):
    found = _found([example], description="Track a parcel by its number. 查询包裹的物流轨迹。")

    assert ("examples-repeat-description", "/examples/0") not in found
