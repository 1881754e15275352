"""Witnesses are values that can be sent, stored and shown."""

import json

import pytest

from tests.toolroster.compat.cases import of_parameters
from toolroster import strict_json


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "pattern": "^[\\ud800-\\udfff]$"}, {"type": "string", "pattern": "^a$"}),
        ({"type": "string", "pattern": "^\\x00$"}, {"type": "string", "pattern": "^a$"}),
        (
            {"type": "integer", "minimum": 2**64 - 1},
            {"type": "integer", "minimum": 2**64 - 1, "maximum": 2**64 - 1},
        ),
        ({"type": "number", "exclusiveMinimum": 1.797e308}, {"type": "number", "maximum": 5}),
        ({"type": "integer", "maximum": -(2**63)}, {"type": "integer", "minimum": -(2**63)}),
    ],
)
def test_what_could_not_be_sent_is_no_witness(old, new):
    report = of_parameters(old, new)

    assert not report.is_compatible
    strict_json.check(report.as_json())
    strict_json.loads(json.dumps(report.as_json()).encode())


def test_what_can_be_sent_is():
    [change] = of_parameters({"type": "integer"}, {"type": "integer", "maximum": 5}).breaking_changes

    assert change.witness["p"] > 5
    assert "was taken, and is refused now" in change.message
