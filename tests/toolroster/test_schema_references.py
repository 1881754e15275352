import pytest

from tests.toolroster.documents import make_schema, places
from toolroster.schema_checks import schema_faults
from toolroster.schema_references import reference_faults


@pytest.mark.parametrize(
    "target",
    ["http://example.com/s", "https://example.com/s#/a", "other.json", "", "//host/s", "file:///etc/passwd"],
)
@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_a_reference_that_leaves_the_document_is_pointed_at(keyword, target):
    schema = make_schema({"a": {keyword: target}})

    assert places(schema_faults(schema)) == [(f"/properties/a/{keyword}", "remote_reference")]


@pytest.mark.parametrize(
    "target",
    ["#", "#/$defs/node", "#/$defs/a~1b~0c", "#/$defs/%C3%A9", "#anchor", "#/properties/a", "#/$defs/yes"],
)
def test_a_reference_to_a_schema_of_the_document_is_taken(target):
    schema = make_schema(
        {"a": {"type": "array", "items": {"$ref": target}}},
        **{"$defs": {"node": {}, "a/b~c": {}, "é": {}, "named": {"$anchor": "anchor"}, "yes": True}},
    )

    assert schema_faults(schema) == []


@pytest.mark.parametrize("keyword", ["definitions", "$defs"])
def test_a_tree_may_refer_to_its_own_nodes(keyword):
    node = make_schema({"left": {"$ref": f"#/{keyword}/node"}, "rest": {"$ref": "#"}})

    assert (
        schema_faults(make_schema({"root": {"$ref": f"#/{keyword}/node"}}, **{keyword: {"node": node}})) == []
    )


@pytest.mark.parametrize(
    "target",
    [
        "#/$defs/missing",
        "#nowhere",
        "#/required/x",
        "#/required/0",
        "#/type",
        "#/type/x",
        "#/properties/a/title/0/b",
    ],
)
def test_a_reference_that_leads_to_no_schema_is_pointed_at(target):
    schema = make_schema({"a": {"title": "A"}, "b": {"$ref": target}}, required=["a"])

    assert places(schema_faults(schema)) == [("/properties/b/$ref", "reference_unresolvable")]


@pytest.mark.parametrize(
    ("keywords", "where"),
    [
        ({"$ref": "#"}, "/$ref"),
        ({"anyOf": [{"type": "object"}, {"$ref": "#"}]}, "/anyOf/1/$ref"),
        (
            {
                "$ref": "#/$defs/a",
                "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"$ref": "#/$defs/a"}},
            },
            None,
        ),
        ({"dependentSchemas": {"x": {"not": {"$ref": "#"}}}}, "/dependentSchemas/x/not/$ref"),
    ],
)
def test_a_reference_that_leads_back_to_itself_is_refused(keywords, where):
    [fault] = schema_faults(make_schema(**keywords))

    assert fault.code == "reference_endless"
    assert where is None or fault.pointer == where


def test_a_long_chain_of_references_is_followed():
    chain = {f"s{number}": {"$ref": f"#/$defs/s{number + 1}"} for number in range(900)}

    assert reference_faults({"$ref": "#/$defs/s0", "$defs": chain | {"s900": {}}}) == []


@pytest.mark.parametrize("root", [{}, {"$id": "https://example.com/root"}, {"$id": "root"}])
@pytest.mark.parametrize("inner", ["https://example.com/inner", "inner", "urn:inner"])
def test_a_reference_below_an_inner_id_starts_there(root, inner):
    schema = make_schema(
        {
            "own": {"$id": inner, "items": {"$ref": "#/$defs/own"}, "$defs": {"own": {}}},
            "other": {"$ref": "#/$defs/other"},
        },
        **root,
        **{"$defs": {"other": {}}},
    )

    assert schema_faults(schema) == []


def test_a_reference_below_an_inner_id_does_not_see_the_root():
    inner = {"$id": "https://example.com/inner", "items": {"$ref": "#/$defs/other"}}
    schema = make_schema({"a": inner}, **{"$defs": {"other": {}}})

    assert places(schema_faults(schema)) == [("/properties/a/items/$ref", "reference_unresolvable")]


def test_an_id_that_cannot_be_joined_to_its_base_is_refused():
    schema = make_schema({"a": {"$id": "http://["}, "b": {"$ref": "#"}}, **{"$id": "https://example.com/"})

    assert places(schema_faults(schema)) == [("/$id", "schema_invalid")]


def test_a_property_called_ref_is_no_reference():
    assert (
        schema_faults(make_schema({"$ref": {"type": "string"}, "a": {"const": {"$ref": "http://x"}}})) == []
    )
