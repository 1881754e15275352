import pytest

from toolroster.prompts.local_references import follow, resolved

ROOT = {
    "$defs": {"a/b~c d": {"type": "string"}, "again": {"$ref": "#/$defs/a~1b~0c%20d"}, "no": False},
    "allOf": [{"const": 1}],
    "required": ["x"],
}


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("#", (ROOT, ())),
        ("#/$defs/a~1b~0c%20d", ({"type": "string"}, ("$defs", "a/b~c d"))),
        ("#/allOf/0", ({"const": 1}, ("allOf", 0))),
        ("#/$defs/no", (False, ("$defs", "no"))),
        ("#/allOf/1", None),
        ("#/allOf/x", None),
        ("#/nowhere", None),
        ("#/required", None),
        ("#/required/0/x", None),
        ("#anchor", None),
        ("https://example.com/s", None),
    ],
)
def test_a_pointer_is_followed_to_a_schema(reference, found):
    assert follow(ROOT, reference) == found


@pytest.mark.parametrize(
    ("schema", "target"),
    [
        ({"$ref": "#/$defs/again"}, {"type": "string"}),
        ({"$ref": "#/nowhere"}, {"$ref": "#/nowhere"}),
        ({"type": "null"}, {"type": "null"}),
        (True, True),
    ],
)
def test_a_reference_stands_for_its_target(schema, target):
    assert resolved(ROOT, schema) == target


def test_a_circle_of_references_ends():
    circle = {"$ref": "#"}

    assert resolved(circle, circle) == circle
