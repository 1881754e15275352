"""The harness runs, and its result has the documented shape; nothing here is timed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import growth, measure
from bench.measure import Measured, NoBackend, Sample, Variant
from config.env import CHECKOUT


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run what needs no server."""
    folder = tmp_path_factory.mktemp("bench")
    command = [
        sys.executable,
        "-m",
        "bench",
        "semver",
        "definition",
        "--rounds",
        "1",
        "--output",
        str(folder),
    ]
    subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, timeout=60)
    return folder


@pytest.fixture(scope="module")
def content(result: Path) -> dict[str, Any]:
    return dict(json.loads((result / "bench.json").read_text()))


def test_the_result_names_the_run_and_the_subjects(content: dict[str, Any]) -> None:
    assert content["run"].keys() == {"processor", "cores", "kernel", "rows", "rounds", "date"}
    assert list(content["subjects"]) == ["semver", "definition"]


def test_each_variant_has_a_sample_a_round_and_its_medians(content: dict[str, Any]) -> None:
    variants = [v for subject in content["subjects"].values() for v in subject["variants"]]

    assert {len(variant["samples"]) for variant in variants} == {1}
    assert all(variant["median"]["cpu_us"] > 0 for variant in variants)


def test_only_a_variant_with_a_yardstick_has_ratios(content: dict[str, Any]) -> None:
    variants = content["subjects"]["definition"]["variants"]

    assert [len(variant["times_cheaper"]["cpu_us"]) for variant in variants] == [0, 1, 0, 1]


def test_the_table_has_a_row_a_variant(result: Path, content: dict[str, Any]) -> None:
    table = (result / "bench.md").read_text()

    names = [v["name"] for subject in content["subjects"].values() for v in subject["variants"]]

    assert [name for name in names if f"| {name} |" not in table] == []


def test_what_reads_the_database_runs_on_a_server_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "resolve", "list"]
    command += ["--rows", "500", "--rounds", "1", "--output", str(tmp_path)]

    ended = subprocess.run(command, cwd=CHECKOUT, check=False, capture_output=True, text=True, timeout=180)

    assert ended.returncode == 0, ended.stderr
    assert list(json.loads((tmp_path / "bench.json").read_text())["subjects"]) == ["resolve", "list"]


def test_an_unknown_name_is_refused() -> None:
    command = [sys.executable, "-m", "bench", "speed"]

    ended = subprocess.run(command, cwd=CHECKOUT, check=False, capture_output=True, text=True, timeout=60)

    assert ended.returncode == 2
    assert "no benchmark is called speed" in ended.stderr


def test_a_prepared_variant_is_prepared_before_every_call() -> None:
    did: list[str] = []
    variant = Variant("", lambda: did.append("act"), prepare=lambda: did.append("prepare"))

    measure.sample(variant, 3, NoBackend())

    assert did == ["prepare", "act"] * 3


def test_ratios_say_how_many_times_cheaper_a_variant_was_in_each_round() -> None:
    yardstick, measured = (
        Measured(Variant(name, int), 1, 0, [Sample(cost, 0, 0, 0), Sample(cost + 2, 0, 0, 0)])
        for name, cost in (("yardstick", 4.0), ("measured", 2.0))
    )

    assert measure.ratios("cpu_us", yardstick=yardstick, measured=measured) == [2.0, 1.5]


def test_the_plot_names_every_variant(result: Path, content: dict[str, Any]) -> None:
    plot = (result / "bench.svg").read_text()

    for name, subject in content["subjects"].items():
        assert f"<!-- {name}: one {subject['unit']} -->" in plot
        assert all(f"<!-- {variant['name']} -->" in plot for variant in subject["variants"])


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(500, [1000]), (1000, [1000]), (5000, [1000, 5000]), (100_000, [1000, 10_000, 100_000])],
)
def test_growth_goes_up_in_powers_of_ten(rows: int, expected: list[int]) -> None:
    assert growth.sizes(rows) == expected


def test_growth_puts_the_sizes_side_by_side(content: dict[str, Any]) -> None:
    without = {**content, "subjects": {"semver": content["subjects"]["semver"]}}

    costs = growth.collect({1000: content, 10_000: without})

    assert list(costs["semver: satisfies"]) == [1000, 10_000]
    assert list(costs["definition: json.loads, 5 parameters"]) == [1000]
    assert growth.markdown(costs).splitlines()[0].endswith("| 1,000 | 10,000 |")
    assert growth.markdown(costs).splitlines()[-1].endswith(" |  |")
