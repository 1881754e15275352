# ruff: noqa: E501 - a case of a table is one line

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.toolroster.documents import Json, make_schema, moderate, object_schemas
from tests.toolroster.prompts.strict.shapes import accepts, convertible, filled, values_of
from toolroster.errors import DocumentInvalid
from toolroster.prompts import without_absent
from toolroster.prompts.local_references import follow
from toolroster.prompts.strict import strict_schema
from toolroster.schema_walk import walk

TEXT = {"type": "string"}
CLOSED: Json = {"additionalProperties": False}
NULL = {"type": "null"}


def strict_property(schema, *, is_required=True, **root):
    """Return what becomes of the one property of an object."""
    required = {"required": ["p"]} if is_required else {}
    return strict_schema(make_schema({"p": schema}, **required, **root))["properties"]["p"]


def refusal(schema):
    with pytest.raises(DocumentInvalid) as refused:
        strict_schema(schema)
    [fault] = refused.value.errors
    return fault


def test_an_object_is_closed_and_requires_all_its_properties():
    schema = make_schema({"a": TEXT, "b": {"type": "integer"}}, required=["b"])

    assert strict_schema(schema) == {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "integer"}},
        "required": ["a", "b"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize("schema", [make_schema(), {"type": "object"}, make_schema(**CLOSED)])
def test_a_tool_without_parameters_is_strict(schema):
    assert strict_schema(schema) == {"type": "object", "properties": {}, "required": [], **CLOSED}


@pytest.mark.parametrize(
    ("schema", "optional"),
    [
        (TEXT, {"type": ["string", "null"]}),
        ({"type": ["string", "null"]}, {"type": ["string", "null"]}),
        ({"enum": ["a"]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"enum": ["a", None]}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"const": "a"}, {"type": ["string", "null"], "enum": ["a", None]}),
        ({"anyOf": [TEXT, {"type": "integer"}]}, {"anyOf": [TEXT, {"type": "integer"}, NULL]}),
        ({"anyOf": [TEXT, NULL]}, {"anyOf": [TEXT, NULL]}),
        ({"$ref": "#/$defs/text"}, {"anyOf": [{"$ref": "#/$defs/text"}, NULL]}),
    ],
)
def test_what_is_optional_may_be_null(schema, optional):
    assert strict_property(schema, is_required=False, **{"$defs": {"text": TEXT}}) == optional


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        ({"type": "string", "x-note": 1, "readOnly": True, "$comment": "c"}, TEXT),
        ({"type": "string", "format": "email", "pattern": "^a"}, {"type": "string", "pattern": "^a", "format": "email"}),
        ({"type": "string", "format": "uri"}, {"type": "string", "description": "(format: uri)"}),
        ({"type": "integer", "default": 3, "description": "N."}, {"type": "integer", "description": "N. (default: 3)"}),
        ({"type": "string", "default": None}, TEXT),
        ({"type": "string", "examples": [*"abcd"]}, {"type": "string", "description": '(examples: "a", "b", "c")'}),
        ({"type": "string", "minLength": 0, "uniqueItems": True, "minimum": 3}, TEXT),
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"type": "string", "enum": ["a", 1]}, {"type": "string", "enum": ["a"]}),
        ({"enum": [1, 1.5]}, {"type": "number", "enum": [1, 1.5]}),
        ({"enum": [True]}, {"type": "boolean", "enum": [True]}),
        ({"const": None}, {"type": "null", "const": None}),
        ({"type": ["string", "null"], "enum": ["a"]}, {"type": "string", "enum": ["a"]}),
        (
            {"type": ["string", "integer"], "minimum": 0, "pattern": "x", "title": "T"},
            {"title": "T", "anyOf": [{"type": "string", "pattern": "x"}, {"type": "integer", "minimum": 0}]},
        ),
        ({"allOf": [TEXT], "description": "D."}, {"type": "string", "description": "D."}),
        ({"oneOf": [TEXT, NULL]}, {"anyOf": [TEXT, NULL]}),
        ({"type": "string", "anyOf": [{"pattern": "a"}, TEXT]}, {"anyOf": [{"type": "string", "pattern": "a"}, TEXT]}),
        ({"type": "array", "items": TEXT, "minItems": 1}, {"type": "array", "items": TEXT, "minItems": 1}),
    ],
)  # fmt: skip
def test_a_property_is_converted_without_another_meaning(schema, strict):
    assert strict_property(schema) == strict


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        (make_schema(anyOf=[{}]), "/anyOf"),
        (make_schema(oneOf=[{}]), "/oneOf"),
        (make_schema({"p": True}), "/properties/p"),
        (make_schema({"p": {}}), "/properties/p"),
        (make_schema({"p": {"description": "any"}}), "/properties/p"),
        (make_schema({"p": {"type": "object"}}), "/properties/p"),
        (make_schema({"p": make_schema()}), "/properties/p"),
        (make_schema({"p": {"type": "array"}}), "/properties/p"),
        (make_schema({"p": {"type": "array", "items": {}}}), "/properties/p/items"),
        (make_schema({"p": {"type": "array", "items": TEXT, "prefixItems": [TEXT]}}), "/properties/p/prefixItems"),
        (make_schema({"p": TEXT}, additionalProperties=True), "/additionalProperties"),
        (make_schema({"p": TEXT}, additionalProperties=TEXT), "/additionalProperties"),
        (make_schema({"p": TEXT}, required=["q"]), "/required"),
        (make_schema({"p": TEXT}, minProperties=1), "/minProperties"),
        (make_schema({"p": TEXT}, patternProperties={"x": TEXT}), "/patternProperties"),
        (make_schema({"p": TEXT}, dependentRequired={"p": ["q"]}), "/dependentRequired"),
        (make_schema({"p": TEXT}, **{"if": {}, "then": {}}), "/if"),
        (make_schema({"p": {"not": TEXT}}), "/properties/p"),
        (make_schema({"p": {"type": "string", "not": {"const": "x"}}}), "/properties/p/not"),
        (make_schema({"p": {"type": "string", "minLength": 1}}), "/properties/p/minLength"),
        (make_schema({"p": {"type": "string", "pattern": "^(?!a)"}}), "/properties/p/pattern"),
        (make_schema({"p": {"type": ["string", "null"], "maxLength": 9}}), "/properties/p/maxLength"),
        (make_schema({"p": {"enum": [["x"]]}}), "/properties/p/enum"),
        (make_schema({"p": {"const": {}}}), "/properties/p/const"),
        (make_schema({"p": {"allOf": [TEXT, TEXT]}}), "/properties/p/allOf"),
        (make_schema({"p": {"allOf": [TEXT], "pattern": "x"}}), "/properties/p/pattern"),
        (make_schema({"p": {"allOf": [True]}}), "/properties/p/allOf/0"),
        (make_schema({"p": {"anyOf": [TEXT], "minLength": 1}}), "/properties/p/anyOf"),
        (make_schema({"p": {"anyOf": [TEXT], "type": "integer"}}), "/properties/p/anyOf"),
        (make_schema({"p": {"anyOf": [TEXT, {"minLength": 1}]}}), "/properties/p/anyOf/1"),
        (make_schema({"p": {"oneOf": [TEXT, {"type": "string", "pattern": "x"}]}}), "/properties/p/oneOf"),
        (make_schema({"p": {"$ref": "#anchor", "$anchor": "anchor"}}), "/properties/p/$ref"),
        (make_schema({"p": {"$dynamicRef": "#a", "type": "string"}}), "/properties/p/$dynamicRef"),
        (make_schema({"p": {"$ref": "#/$defs/t", "pattern": "x"}}, **{"$defs": {"t": TEXT}}), "/properties/p/pattern"),
        (make_schema({"p": {"$ref": "#/$defs/t"}}, **{"$defs": {"t": {"minLength": 1}}}), "/$defs/t"),
        (make_schema({"p": {"$id": "https://a.example/", "type": "string"}}), "/properties/p/$id"),
        (make_schema({"p": {"type": "string", "enum": [1]}}), "/properties/p"),
        ({"type": "array", "items": TEXT}, ""),
    ],
)  # fmt: skip
def test_what_cannot_be_converted_is_pointed_at(schema, pointer):
    fault = refusal(schema)

    assert (fault.pointer, fault.code) == (pointer, "not_strict")


@pytest.mark.parametrize("pattern", [r"^\(?\d{3}\)?$", r"(?:a|b)+", r"[(?=x]", r"\\1", r"[^]a]\.", r"a\.b"])
def test_a_plain_pattern_is_kept(pattern):
    assert strict_property({"type": "string", "pattern": pattern})["pattern"] == pattern


@pytest.mark.parametrize("pattern", [r"^(?=a)", r"(?<!x)y", r"(a)\1", r"(?i)x", r"(?P<n>x)", r"\\(?!x)"])
def test_a_pattern_that_looks_around_is_refused(pattern):
    assert (
        refusal(make_schema({"p": {"type": "string", "pattern": pattern}})).pointer == "/properties/p/pattern"
    )


def test_a_bare_reference_stays_and_its_definition_is_converted():
    schema = make_schema(
        {"p": {"$ref": "#/$defs/a b"}}, required=["p"], **{"$defs": {"a b": TEXT, "unused": {}}}
    )

    strict = strict_schema(schema)

    assert strict["properties"]["p"] == {"$ref": "#/$defs/a_b"}
    assert strict["$defs"] == {"a_b": TEXT}


def test_definitions_of_the_old_name_are_definitions():
    strict = strict_schema(
        make_schema({"p": {"$ref": "#/definitions/t"}}, required=["p"], definitions={"t": TEXT})
    )

    assert strict["properties"]["p"] == {"$ref": "#/$defs/t"}
    assert strict["$defs"] == {"t": TEXT}


def test_two_definitions_of_one_name_are_refused():
    schema = make_schema(
        {"p": {"$ref": "#/definitions/t"}, "q": {"$ref": "#/$defs/t"}},
        **{"definitions": {"t": TEXT}, "$defs": {"t": {"type": "integer"}}},
    )

    assert refusal(schema).pointer == "/properties/q/$ref"


def test_a_reference_with_words_is_copied():
    schema = {"$ref": "#/$defs/t", "description": "Mine."}

    strict = strict_property(schema, **{"$defs": {"t": {"type": "string", "description": "Theirs."}}})

    assert strict == {"type": "string", "description": "Mine."}


def test_a_reference_into_the_properties_is_copied():
    strict = strict_schema(make_schema({"p": TEXT, "q": {"$ref": "#/properties/p"}}, required=["p", "q"]))

    assert strict["properties"] == {"p": TEXT, "q": TEXT}


def test_a_root_that_only_refers_is_copied():
    definitions = {"all": make_schema({"p": TEXT}, required=["p"])}
    schema = make_schema() | {"$ref": "#/$defs/all", "$defs": definitions}

    assert strict_schema(schema) == strict_schema(make_schema({"p": TEXT}, required=["p"]))


@pytest.mark.parametrize("words", [{}, {"description": "The next one."}])
def test_a_schema_that_refers_to_itself_does_so_in_strict_mode(words):
    strict = strict_property({"$ref": "#", **words}, is_required=False)

    assert strict == {"anyOf": [{"$ref": "#"}, NULL]}


def test_a_definition_that_refers_to_itself_with_words_ends():
    tree = make_schema({"left": {"$ref": "#/$defs/tree", "description": "Left."}})

    strict = strict_schema(make_schema({"p": {"$ref": "#/$defs/tree"}}, **{"$defs": {"tree": tree}}))

    assert strict["$defs"]["tree"]["properties"]["left"] == {"anyOf": [{"$ref": "#/$defs/tree"}, NULL]}


def test_a_circle_outside_of_the_definitions_is_refused():
    schema = make_schema({"p": make_schema({"q": {"$ref": "#/properties/p"}})})

    assert refusal(schema).pointer.endswith("/$ref")


def test_references_that_multiply_are_refused():
    definitions = {
        f"d{n}": make_schema({k: {"$ref": f"#/$defs/d{n + 1}", "title": "T"} for k in "ab"})
        for n in range(30)
    }
    definitions["d30"] = TEXT

    fault = refusal(make_schema({"p": {"$ref": "#/$defs/d0", "title": "T"}}, **{"$defs": definitions}))

    assert "too large" in fault.detail


@moderate
@given(convertible())
def test_what_the_schema_takes_strict_mode_takes_and_gives_back(drawn):
    schema, arguments = drawn
    before = copy.deepcopy(schema)

    strict = strict_schema(schema)
    sent = filled(arguments, strict, strict)

    assert schema == before
    assert accepts(schema, schema, arguments)
    assert accepts(strict, strict, sent)
    assert accepts(schema, schema, without_absent(sent, schema))


@moderate
@given(convertible(), st.data())
def test_what_strict_mode_takes_the_schema_takes_without_the_nulls(drawn, data):
    schema, _ = drawn
    strict = strict_schema(schema)

    sent = data.draw(values_of(strict, strict))

    assert accepts(strict, strict, sent)
    assert accepts(schema, schema, without_absent(sent, schema))


@moderate
@given(object_schemas())
def test_every_schema_is_converted_or_refused_at_a_place_in_it(schema):
    try:
        strict = strict_schema(schema)
    except DocumentInvalid as refused:
        where = refused.errors[0].pointer
        parent = where.rpartition("/")[0]
        assert follow(schema, f"#{where}") or follow(schema, f"#{parent}")
    else:
        objects = [node for _, _, node in walk(strict) if isinstance(node, dict) and "properties" in node]
        assert all(node["additionalProperties"] is False for node in objects)
        assert all(node["required"] == list(node["properties"]) for node in objects)
