import pytest
from hypothesis import given

from tests.toolroster.documents import hostile, make_schema, moderate
from toolroster.schema_walk import LIST, MAP, ONE, pointer, rewrite, walk, without_words


@pytest.mark.parametrize(
    ("path", "expected"),
    [((), ""), (("properties", "a/b~c", 0), "/properties/a~1b~0c/0"), (("",), "/"), (("~1",), "/~01")],
)
def test_a_pointer_escapes_its_steps(path, expected):
    assert pointer(path) == expected


def test_subschemas_come_in_the_order_of_the_text():
    schema = make_schema({"a": {"items": {}}, "b": True}, anyOf=[{}, {}], additionalProperties=False)

    assert [(pointer(path), depth) for path, depth, _ in walk(schema)] == [
        ("", 0),
        ("/properties/a", 1),
        ("/properties/a/items", 2),
        ("/properties/b", 1),
        ("/anyOf/0", 1),
        ("/anyOf/1", 1),
        ("/additionalProperties", 1),
    ]


@pytest.mark.parametrize("keyword", sorted(ONE))
def test_a_keyword_with_one_schema_is_followed(keyword):
    assert [path for path, _, _ in walk({keyword: {}})] == [(), (keyword,)]


@pytest.mark.parametrize("keyword", sorted(LIST))
def test_a_keyword_with_a_list_of_schemas_is_followed(keyword):
    assert [path for path, _, _ in walk({keyword: [{}, True]})] == [(), (keyword, 0), (keyword, 1)]


@pytest.mark.parametrize("keyword", sorted(MAP))
def test_a_keyword_with_a_map_of_schemas_is_followed(keyword):
    assert [path for path, _, _ in walk({keyword: {"items": {}}})] == [(), (keyword, "items")]


@pytest.mark.parametrize("keyword", ["const", "default", "enum", "examples", "x-note", "required"])
def test_values_are_not_taken_for_schemas(keyword):
    schema = {keyword: [{"properties": {"a": {"description": "a value"}}}]}

    assert [path for path, _, _ in walk(schema)] == [()]
    assert rewrite(schema, lambda node: node) == schema


@moderate
@given(hostile)
def test_any_json_can_be_walked(value):
    assert next(walk(value)) == ((), 0, value)
    assert len(list(walk(value))) >= 1


@moderate
@given(hostile)
def test_rewriting_nothing_gives_an_equal_copy(value):
    assert rewrite(value, lambda node: node) == value


def test_children_are_rewritten_before_their_parents():
    seen: list[str] = []

    def note(node):
        seen.append(node["title"])
        return node

    rewrite({"title": "root", "items": {"title": "items"}, "allOf": [{"title": "branch"}]}, note)

    assert seen == ["items", "branch", "root"]


def test_words_are_dropped_where_they_explain_and_kept_where_they_name():
    schema = make_schema(
        {
            "description": {"type": "string", "description": "gone"},
            "title": {"const": {"description": "kept"}, "title": "gone", "$comment": "gone"},
        },
        examples=["gone"],
        required=["description"],
    )

    assert without_words(schema) == make_schema(
        {"description": {"type": "string"}, "title": {"const": {"description": "kept"}}},
        required=["description"],
    )
