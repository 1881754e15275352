"""Nothing is called compatible that a call disproves; jsonschema is the judge of single values."""

import copy
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from tests.toolroster.compat import generated
from toolroster.compat import compare
from toolroster.compat.proof import Side, Unprovable, included
from toolroster.compat.proof.values import takes
from toolroster.schema_walk import rewrite

PAIRS = 10_000
_VALUES = 40


def document(schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": "t", "version": "1.0.0", "input_schema": schema}


def judge(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator(generated.closed(schema))


def disproof(random: Random, old: dict[str, Any], new: dict[str, Any]) -> Any:
    """Return a call that was taken and is not taken now; None if none of a few is one."""
    before, after = judge(old), judge(new)
    for _ in range(_VALUES):
        call = generated.value(random, old)
        if isinstance(call, dict) and before.is_valid(call) and not after.is_valid(call):
            return call
    return None


@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(4))
def test_what_is_compatible_is_disproved_by_no_call(part):
    broken = compatible = 0
    for seed in range(part, PAIRS, 4):
        random = Random(seed)
        old = generated.tool(random)
        new = generated.near(random, old)
        new["type"] = "object"
        try:
            call = disproof(random, old, new)
        except (RecursionError, SchemaError, TypeError):
            continue
        report = compare(old=document(old), new=document(new))
        compatible += report.is_compatible
        broken += call is not None
        assert call is None or not report.is_compatible, (seed, old, new, call)

    assert compatible > 200  # and it does not call everything breaking
    assert broken > 300


@pytest.mark.timeout(300)
def test_what_is_included_is_disproved_by_no_value():
    proved = 0
    for seed in range(3000):
        random = Random(seed)
        smaller = generated.schema(random)
        larger = generated.near(random, smaller)
        if included(smaller, larger) is not None:
            continue
        proved += 1
        mine, yours = Draft202012Validator(smaller), Draft202012Validator(larger)
        for _ in range(_VALUES):
            value = generated.value(random, smaller)
            assert not mine.is_valid(value) or yours.is_valid(value), (seed, smaller, larger, value)

    assert proved > 300


@pytest.mark.timeout(300)
def test_single_values_are_judged_as_jsonschema_does():
    judged = 0
    for seed in range(4000):
        random = Random(seed)
        schema = generated.schema(random)
        value = generated.value(random, schema)
        try:
            is_taken = takes(Side(schema), schema, value)
        except (Unprovable, RecursionError):
            continue
        judged += 1
        assert is_taken == Draft202012Validator(schema).is_valid(value), (seed, schema, value)

    assert judged > 3000


def _shuffled(random: Random, schema: dict[str, Any]) -> dict[str, Any]:
    """Write the same schema in another order."""

    def shuffle(node: dict[str, Any]) -> dict[str, Any]:
        items = list(node.items())
        random.shuffle(items)
        found = dict(items)
        for keyword in ("required", "enum", "anyOf", "oneOf"):
            if isinstance(found.get(keyword), list):
                found[keyword] = random.sample(found[keyword], len(found[keyword]))
        if isinstance(found.get("properties"), dict):
            names = random.sample(list(found["properties"]), len(found["properties"]))
            found["properties"] = {name: found["properties"][name] for name in names}
        return found

    changed: dict[str, Any] = rewrite(copy.deepcopy(schema), shuffle)
    return changed


@pytest.mark.parametrize("seed", range(300))
def test_the_same_in_other_words_is_no_change(seed):
    random = Random(seed)
    schema = generated.tool(random)

    assert compare(old=document(schema), new=document(copy.deepcopy(schema))).changes == ()
    assert compare(old=document(schema), new=document(_shuffled(random, schema))).changes == ()


@pytest.mark.parametrize("seed", range(200))
def test_a_reference_is_what_it_leads_to(seed):
    random = Random(seed)
    part = generated.schema(random, 1)
    inline = {"type": "object", "properties": {"p": part}}
    linked = {"type": "object", "properties": {"p": {"$ref": "#/$defs/p"}}, "$defs": {"p": part}}

    assert compare(old=document(inline), new=document(linked)).changes == ()
    assert compare(old=document(linked), new=document(inline)).changes == ()


def test_hostile_documents_are_compared_in_no_time():
    wide = {"anyOf": [{"oneOf": [{"minLength": a * b} for a in range(40)]} for b in range(40)]}
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(200):
        deep = {"type": "array", "items": deep}
    old = {"type": "object", "properties": {"wide": wide, "deep": deep}}
    new = {"type": "object", "properties": {"wide": {"not": wide}, "deep": deep | {"minItems": 1}}}

    assert not compare(old=document(old), new=document(new)).is_compatible
