import hashlib
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.documents import moderate
from toolroster.prompts.names import NameRule, exported_names
from toolroster.prompts.vendors import ANTHROPIC_NAMES, GEMINI_NAMES, MCP_NAMES, OPENAI_NAMES

LONG = "x" * 64
PROVIDERS = st.from_regex(r"[a-z0-9][a-z0-9._-]{0,62}", fullmatch=True)
NAMES = st.from_regex(r"[a-zA-Z][a-zA-Z0-9_-]{0,63}", fullmatch=True)
keys = st.lists(
    st.tuples(
        st.sampled_from(["a", "a.b", "a_b", "a-b", "3m", "p" * 63]) | PROVIDERS,
        st.sampled_from(["send", "a__send", "b__send", "a_b__send", "x" * 64]) | NAMES,
    ),
    max_size=12,
)


def hashed(provider, name, most=64):
    digest = hashlib.sha256(f"{provider}/{name}".encode()).hexdigest()[:8]
    return f"{provider}__{name}"[: most - 9] + "_" + digest


@pytest.mark.parametrize(
    ("tools", "names"),
    [
        ([("mail", "send")], ["send"]),
        ([("mail", "send-it")], ["send-it"]),
        ([("mail", "send"), ("post", "send")], ["mail__send", "post__send"]),
        ([("mail", "send"), ("mail", "Send")], ["send", "Send"]),
        ([("a.b", "send"), ("c", "send")], ["a_b__send", "c__send"]),
        ([("mail", LONG), ("post", LONG)], [hashed("mail", LONG), hashed("post", LONG)]),
    ],
)
def test_a_name_is_published_or_has_its_provider_or_a_hash(tools, names):
    assert list(map(exported_names(tools, OPENAI_NAMES).get, tools)) == names


def test_aliases_that_would_be_the_same_have_a_hash():
    tools = [("a.b", "send"), ("a_b", "send")]

    names = exported_names(tools, OPENAI_NAMES)

    assert [names[tool][:10] for tool in tools] == ["a_b__send_", "a_b__send_"]
    assert len(set(names.values())) == 2


def test_a_published_name_is_kept_by_its_tool_and_not_taken_as_an_alias():
    tools = [("a", "send"), ("b", "send"), ("c", "a__send")]

    names = exported_names(tools, OPENAI_NAMES)

    assert names["c", "a__send"] == "a__send"
    assert names["a", "send"] == hashed("a", "send")
    assert names["b", "send"] == "b__send"


def test_a_published_name_may_be_the_hash_of_another():
    thief = hashed("mail", LONG)
    tools = [("mail", LONG), ("post", LONG), ("thief", thief)]

    names = exported_names(tools, OPENAI_NAMES)

    assert names["thief", thief] == thief
    assert len(set(names.values())) == 3


@pytest.mark.parametrize(
    ("rule", "alias"),
    [(OPENAI_NAMES, "3.m__x"), (ANTHROPIC_NAMES, "3.m__x"), (GEMINI_NAMES, "_3.m__x"), (MCP_NAMES, "3.m__x")],
)
def test_an_alias_begins_as_the_vendor_asks(rule, alias):
    names = exported_names([("3.m", "x"), ("y", "x")], rule)

    assert names["3.m", "x"] == alias.replace(".", "." if rule is MCP_NAMES else "_")


def test_a_name_that_no_registry_would_publish_is_made_safe():
    assert exported_names([("mail", "a.b/c")], OPENAI_NAMES) == {("mail", "a.b/c"): "mail__a_b_c"}


@moderate
@given(keys, st.sampled_from([OPENAI_NAMES, GEMINI_NAMES, MCP_NAMES]), st.randoms())
def test_names_are_safe_and_unique_and_do_not_depend_on_the_order(
    tools, rule: NameRule, order: random.Random
):
    names = exported_names(tools, rule)
    order.shuffle(tools)

    assert exported_names(tools, rule) == names
    assert names.keys() == set(tools)
    assert len(set(names.values())) == len(names)
    assert all(rule.allows(name) for name in names.values())
    assert all(re.fullmatch(r"[a-zA-Z0-9_][a-zA-Z0-9_.-]*", name) for name in names.values())
