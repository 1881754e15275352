import pytest

from tests.toolroster.documents import make_schema
from toolroster.errors import DocumentInvalid
from toolroster.prompts.strict import strict_schema

TEXT = {"type": "string"}


def nested(levels):
    schema = TEXT
    for _ in range(levels):
        schema = make_schema({"p": schema}, required=["p"])
    return schema


def wide(properties):
    return make_schema(dict.fromkeys(map(str, range(properties)), TEXT))


def enums(*lengths, chars=1):
    return make_schema(
        {f"p{n}": {"enum": [f"{i:0{chars}}" for i in range(m)]} for n, m in enumerate(lengths)}
    )


@pytest.mark.parametrize(
    ("within", "beyond", "what"),
    [
        (nested(10), nested(11), "levels"),
        (wide(5000), wide(5001), "properties"),
        (enums(249, 249, 249, 249), enums(249, 249, 249, 250), "values of enums"),
        (enums(249, 249, chars=200), enums(249, 249, 249, chars=200), "characters of names and values"),
        (enums(249, chars=100), enums(250, chars=100), "characters of a long enum"),
    ],
)  # fmt: skip
def test_a_schema_may_be_as_large_as_strict_mode_takes(within, beyond, what):
    strict_schema(within)

    with pytest.raises(DocumentInvalid, match=f"It has [0-9]+ {what}, strict mode takes at most"):
        strict_schema(beyond)
