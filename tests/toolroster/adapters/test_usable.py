"""Which tools are chosen for a framework, and what is said when some are not."""

import asyncio
import json

import pytest

from tests.toolroster.client.hostile import Registry as Served
from toolroster import AsyncRegistry, Registry
from toolroster.adapters.usable import text_of, usable, words_of
from toolroster.errors import DocumentInvalid, Fault, Unavailable


def test_all_that_can_be_used_is_given_with_the_filters_of_a_list(registrations):
    served = Served({"results": [one.document for one in registrations], "next": None})
    with served.running(), Registry(served.url, is_cached=False) as registry:
        found = usable(registry, (), "openai", category="dining")

        assert [one.name for one in found] == ["book_table", "cancel_table"]
        assert b"category=dining" in served.last


def test_a_reference_is_resolved_and_a_document_is_taken_as_it_is(registrations):
    served = Served(registrations[0].document)
    with served.running(), Registry(served.url, is_cached=False) as registry:
        found = usable(registry, ("bistro/book_table@^1.0", registrations[1].document), "anthropic")

        assert [one.tool.tool_id for one in found] == ["bistro:book_table:1.0.0", "bistro:cancel_table:1.0.0"]


@pytest.mark.parametrize(("what", "filters"), [((), {}), (("book_table",), {}), ((), {"category": "x"})])
def test_a_registry_of_an_event_loop_is_asked_before(what, filters):
    registry = AsyncRegistry("http://registry.test", is_cached=False)

    with pytest.raises(DocumentInvalid, match="is asked before"):
        usable(registry, what, "openai", **filters)


def test_tools_of_a_registry_of_an_event_loop_are_called(registrations):
    registry = AsyncRegistry("http://registry.test", is_cached=False)
    book = usable(registry, (registrations[0],), "openai")[0]

    assert asyncio.run(book.use_async({"guests": 3}))["booked"] == "3 in the inside"


def test_the_nulls_of_strict_mode_do_not_reach_the_tool(registry, registrations):
    book = usable(registry, (registrations[0],), "openai")[0]

    assert book.use({"guests": 1, "room": None, "note": None}) == {
        "booked": "1 in the inside",
        "note": "None",
    }


def test_what_a_vendor_would_refuse_is_left_out_and_logged(registry, registrations, caplog):
    odd = registrations[0].document | {"input_schema": {"type": "object", "properties": {"a b": {}}}}

    assert usable(registry, (odd,), "anthropic") == []
    assert "bistro:book_table:1.0.0" in caplog.text


def test_a_model_reads_results_as_text_or_json():
    assert (text_of("as it is"), text_of({"größe": 1})) == ("as it is", '{"größe": 1}')


def test_a_model_reads_what_is_wrong_and_nothing_else():
    wrong = DocumentInvalid("Wrong.", errors=[Fault("/a", "type", "It must be a number.")], nearest=["b"])
    away = Unavailable("Away.", retry_after_seconds=3)

    assert json.loads(words_of(wrong)) == {
        "code": "invalid",
        "detail": "Wrong.",
        "errors": [{"pointer": "/a", "code": "type", "detail": "It must be a number."}],
        "nearest": ["b"],
        "retryable": False,
    }
    assert json.loads(words_of(away)) == {
        "code": "unavailable",
        "detail": "Away.",
        "retryable": True,
        "retry_after_seconds": 3,
    }
