"""docs/versions.md names every switch with its default."""

import json
import re

from config.env import CHECKOUT
from toolroster.compat import CompatPolicy


def test_the_documented_switches_are_those_that_there_are():
    text = (CHECKOUT / "docs/versions.md").read_text()

    rows = dict(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", text, re.MULTILINE))

    told = {name: value if value == "seed" else json.loads(value) for name, value in rows.items()}
    assert told == CompatPolicy().as_json()
