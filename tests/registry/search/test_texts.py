"""The texts that are embedded and indexed."""

import dataclasses

import pytest

from registry.search import texts
from registry.search.texts import SearchableText

FAX = SearchableText(
    name="sendFax",
    display_name="Send a fax",
    description="Transmit a document as a fax to a fax number.",
    parameters=(("faxNumber", "where to"), ("pages", "")),
    categories=("communication",),
    tags=("fax", "paper"),
    examples=("Fax the signed contract", "Fax the signed contract", " ", "Send page 3"),
)


def test_dense_text_has_name_description_category_and_tags():
    assert texts.dense_text(FAX) == (
        "send Fax (Send a fax): Transmit a document as a fax to a fax number. "
        "Category: communication fax paper."
    )


def test_dense_text_tells_the_parameters_when_the_description_is_short():
    brief = dataclasses.replace(FAX, description="Send it.", display_name="Send Fax")

    assert texts.dense_text(brief) == (
        "send Fax: Send it. Parameters: fax Number (where to); pages. Category: communication fax paper."
    )


def test_chinese_description_is_not_short_for_having_few_characters():
    tool = SearchableText(
        "track", description="根据快递单号查询包裹的物流轨迹。", parameters=(("number", ""),)
    )

    assert "Parameters" not in texts.dense_text(tool)


def test_label_that_is_category_and_tag_is_told_once():
    assert texts.dense_text(SearchableText("ping", categories=("net",), tags=("net", "icmp"))) == (
        "ping. Category: net icmp."
    )


def test_dense_text_of_a_bare_name():
    assert texts.dense_text(SearchableText(name="ping_host")) == "ping host."


def test_dense_text_is_short_whatever_is_registered():
    huge = SearchableText("t", "d", "word " * 10_000, (("p", "x" * 10_000),), ("c",), ("tag",) * 1_000)

    assert len(texts.dense_text(huge)) < 1_000


@pytest.mark.parametrize(
    ("text", "length"), [("word " * 200, 399), ("API " + "查" * 600, 400), ("x" * 600, 400)]
)
def test_long_description_is_cut_at_a_space_near_the_end_or_at_the_limit(text, length):
    dense = texts.dense_text(SearchableText("t", description=text))

    assert len(dense) == len("t: ") + length


def test_examples_are_few_distinct_and_short():
    many = dataclasses.replace(FAX, examples=(*FAX.examples, *(f"request {n} " * 100 for n in range(20))))

    examples = texts.example_texts(many)

    assert examples[:2] == ("Fax the signed contract", "Send page 3")
    assert len(examples) == texts.MAX_EXAMPLES
    assert max(map(len, examples)) <= texts.MAX_EXAMPLE_CHARACTERS


@pytest.mark.parametrize(
    "change",
    [{"description": "Other."}, {"name": "fax"}, {"examples": ("x",)}, {"tags": ()}, {"categories": ()}],
)
def test_hash_changes_with_what_is_embedded(change):
    assert texts.content_hash(dataclasses.replace(FAX, **change)) != texts.content_hash(FAX)


def test_hash_ignores_what_is_not_embedded():
    assert texts.content_hash(dataclasses.replace(FAX, parameters=())) == texts.content_hash(FAX)


def test_hash_changes_with_the_template_version():
    assert texts.content_hash(FAX, "2") != texts.content_hash(FAX, "3")


def test_every_field_is_found_by_words():
    tool = SearchableText("alpha", "bravo", "kilo", (("delta", "echo"),), ("foxtrot",), ("golf",), ("hotel",))

    assert set(texts.lexical_counts(tool)) == {
        *("alpha", "bravo", "kilo", "delta", "echo", "foxtrot", "golf", "hotel")
    }


def test_huge_document_has_a_bounded_index():
    tool = SearchableText("t", description="word " * 10_000, parameters=(("p", "other " * 100_000),))

    counts = texts.lexical_counts(tool)

    assert counts.total() < 5_000
    assert "other" not in counts


def test_name_of_stop_words_is_found():
    assert "help" in texts.lexical_counts(SearchableText("help", description="Print the manual."))


def test_language_is_that_of_the_description():
    assert (
        texts.language_of(dataclasses.replace(FAX, description="Verschickt ein Fax an eine Nummer.")) == "de"
    )
    assert texts.language_of(SearchableText("send_fax", display_name="发送传真")) == "zh"
