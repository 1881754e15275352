"""Every kind of annotation a parameter may have, with arguments that fit and that do not."""

import datetime
import decimal
import enum
import pathlib
import typing
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, NewType, Optional, Union

import annotated_types
import typing_extensions
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, NonNegativeInt, StringConstraints


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Mode(enum.StrEnum):
    FAST = "fast"
    SAFE = "safe"


@dataclass
class Point:
    x: float
    y: float = 0.0


@dataclass
class Line:
    points: list[Point]
    name: str = field(default="")


class Address(BaseModel):
    street: str
    number: int = Field(ge=1)


class Person(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    addresses: list[Address] = []
    born: datetime.date | None = None


class Tree(BaseModel):
    value: int
    children: "list[Tree]" = []


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: int


class Dog(BaseModel):
    kind: Literal["dog"]
    good: bool


class Options(typing.TypedDict):
    depth: int
    names: typing.NotRequired[list[str]]


class Loose(typing_extensions.TypedDict, total=False):
    depth: int


class Pair(NamedTuple):
    left: int
    right: str


UserId = NewType("UserId", int)
Weekday = Annotated[int, Field(ge=0, le=6, description="0 is Monday")]

KINDS: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "str": (str, ["a", ""], [1, None, ["a"]]),
    "int": (int, [1, -3], ["1", 1.5, True]),
    "float": (float, [1.5, 2], ["1.5", False]),
    "bool": (bool, [True, False], [1, "true"]),
    "list": (list[str], [[], ["a"]], ["a", [1]]),
    "bare list": (list, [[1, "a"]], [{}]),
    "set": (set[int], [[1, 2]], [["a"], [1, 1]]),
    "tuple": (tuple[int, str], [[1, "a"]], [[1], ["a", 1], [1, "a", 2]]),
    "many": (tuple[int, ...], [[], [1, 2]], [["a"]]),
    "dict": (dict[str, int], [{}, {"a": 1}], [{"a": "b"}, []]),
    "bare dict": (dict, [{"a": [1]}], [[]]),
    "sequence": (Sequence[int], [[1]], [["a"], 1]),
    "mapping": (Mapping[str, float], [{"a": 1.5}], [{"a": "x"}]),
    "literal": (Literal["a", "b"], ["a"], ["c", 1]),
    "mixed literal": (Literal["a", 1], ["a", 1], [2, "b"]),
    "enum": (Color, ["red"], ["green", 1]),
    "int enum": (Level, [1, 2], [3, "1"]),
    "str enum": (Mode, ["fast"], ["slow"]),
    "dataclass": (Point, [{"x": 1}, {"x": 1, "y": 2.5}], [{}, {"x": "a"}, [1, 2]]),
    "nested dataclass": (Line, [{"points": [{"x": 1}]}], [{"points": [{}]}, {}]),
    "model": (Address, [{"street": "s", "number": 1}], [{"street": "s", "number": 0}, {"number": 1}]),
    "nested model": (
        Person,
        [{"name": "n", "addresses": [{"street": "s", "number": 2}]}],
        [{"name": 1}, {"name": "n", "x": 1}],
    ),
    "recursive model": (Tree, [{"value": 1, "children": [{"value": 2}]}], [{"value": 1, "children": [{}]}]),
    "discriminated": (
        Annotated[Cat | Dog, Field(discriminator="kind")],
        [{"kind": "cat", "lives": 9}, {"kind": "dog", "good": True}],
        [{"kind": "cat", "good": True}, {"kind": "cow"}],
    ),
    "typed dict": (Options, [{"depth": 1}, {"depth": 1, "names": ["a"]}], [{}, {"depth": "x"}]),
    "loose typed dict": (Loose, [{}, {"depth": 1}], [{"depth": "x"}]),
    "named tuple": (Pair, [[1, "a"]], [[1], ["a", 1]]),
    "new type": (UserId, [7], ["7"]),
    "date": (datetime.date, ["2030-01-31"], ["31.1.2030", 5]),
    "datetime": (datetime.datetime, ["2030-01-31T10:00:00Z"], ["soon"]),
    "time": (datetime.time, ["10:30:00"], ["noon"]),
    "duration": (datetime.timedelta, ["PT5S"], ["five seconds"]),
    "uuid": (uuid.UUID, ["12345678-1234-5678-1234-567812345678"], ["1234"]),
    "decimal": (decimal.Decimal, [1.5, "2.25"], ["a", []]),
    "path": (pathlib.Path, ["/tmp/x"], [1]),
    "bytes": (bytes, ["abc"], [1]),
    "url": (AnyUrl, ["https://example.com/x"], ["no url", 1]),
    "any": (Any, [1, "a", None, [1]], []),
    "positive": (Annotated[int, Field(gt=0)], [1], [0, -1]),
    "bounded": (Annotated[float, annotated_types.Interval(ge=0, le=1)], [0, 0.5, 1], [1.01, -1]),
    "multiple": (Annotated[int, Field(multiple_of=5)], [5, 10], [3]),
    "not negative": (NonNegativeInt, [0], [-1]),
    "pattern": (Annotated[str, StringConstraints(pattern=r"^[a-z]+$")], ["abc"], ["ABC", ""]),
    "lengths": (Annotated[str, Field(min_length=2, max_length=4)], ["ab"], ["a", "abcde"]),
    "few": (Annotated[list[int], annotated_types.Len(1, 2)], [[1]], [[], [1, 2, 3]]),
    "alias": (Weekday, [0, 6], [7]),
    "union": (int | str, [1, "a"], [1.5, []]),
    "old union": (Union[int, list[int]], [1, [1]], ["a"]),  # noqa: UP007 - the old spelling is what is tested
    "list of models": (list[Address], [[{"street": "s", "number": 1}]], [[{"street": "s"}]]),
    "dict of lists": (dict[str, list[Literal["x", "y"]]], [{"a": ["x"]}], [{"a": ["z"]}]),
    "optional model": (Optional[Address], [None, {"street": "s", "number": 1}], [{"street": 1}]),  # noqa: UP045 - as above
}
