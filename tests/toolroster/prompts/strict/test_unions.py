import pytest

from toolroster.prompts.strict.unions import are_exclusive, forms_of

TEXT, NUMBER, INTEGER = {"type": "string"}, {"type": "number"}, {"type": "integer"}


def tagged(values, required=("kind",), **keywords):
    kind = {"enum": values} if isinstance(values, list) else {"const": values}
    return {"type": "object", "properties": {"kind": kind}, "required": [*required], **keywords}


@pytest.mark.parametrize(
    ("forms", "exclusive"),
    [
        ([TEXT, INTEGER, {"type": "null"}], True),
        ([TEXT, TEXT], False),
        ([NUMBER, INTEGER], False),
        ([{"enum": ["a"]}, INTEGER], True),
        ([TEXT, {}], False),
        ([TEXT, True], False),
        ([tagged("a"), tagged("b")], True),
        ([tagged("a"), tagged(["b", "c"]), TEXT], True),
        ([tagged("a"), tagged(["a", "c"])], False),
        ([tagged("a"), tagged("b", required=())], False),
        ([tagged("a"), tagged("b", type=["object", "null"])], False),
        ([tagged(1), tagged(1.0)], False),
        ([tagged("a"), {"type": "object", "required": ["kind"]}], False),
        ([tagged("a"), {"$ref": "#/$defs/b"}], True),
        ([{"const": str(n)} for n in range(101)], False),
    ],
)
def test_forms_exclude_each_other_by_type_or_tag(forms, exclusive):
    assert are_exclusive({"$defs": {"b": tagged("b")}}, forms) is exclusive


@pytest.mark.parametrize(
    ("schema", "forms"),
    [
        ({"anyOf": [TEXT, True]}, [TEXT, True]),
        ({"anyOf": [TEXT], "type": "string"}, [TEXT]),
        ({"anyOf": [{"pattern": "x"}], "type": "string", "title": "T"}, [{"type": "string", "pattern": "x"}]),
        ({"anyOf": [{"$ref": "#/$defs/b"}], "type": "object"}, [{"$ref": "#/$defs/b"}]),
        ({"anyOf": [{"$ref": "#/$defs/b"}], "type": "string"}, None),
        ({"anyOf": [True], "type": "string"}, None),
        ({"anyOf": [{"enum": ["a"]}], "type": "string"}, None),
        ({"anyOf": [TEXT], "pattern": "x"}, None),
        ({"anyOf": [TEXT], "oneOf": [TEXT]}, None),
    ],
)
def test_a_type_beside_a_union_goes_into_its_forms(schema, forms):
    assert forms_of({"$defs": {"b": tagged("b")}}, schema, "anyOf") == forms
