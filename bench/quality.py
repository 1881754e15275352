"""`python -m bench quality`: how good search is on every data set that is here, as a table and plots."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from config.env import CHECKOUT
from registry import conf
from registry.search import embedders
from registry.search.embedders import Embedder
from registry.search.evaluation import datasets, fitting, report, scoring
from registry.search.evaluation.corpus import Corpus
from registry.search.evaluation.datasets import DataSet
from registry.search.evaluation.fitting import Point
from registry.search.evaluation.remembered import Remembered
from registry.search.evaluation.scoring import Measurement
from registry.search.finding import NOTHING_FITS

SHARED = CHECKOUT.parent / "shared/data/retrieval"
PROBE = CHECKOUT / "demo/probe"


def write(folder: Path, *, say: Callable[[str], None]) -> None:
    """Measure, and write `search.md`, `search.json` (all rows) and two plots into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    models = _models(folder)
    rows: list[Measurement] = []
    points: dict[str, list[Point]] = {}
    for data_set in _data_sets():
        say(f"{data_set.name}: {len(data_set.tools)} tools, {len(data_set.requests)} requests")
        answered = [request for request in data_set.requests if request.gains]
        ranked = Corpus(data_set.tools, models).rank([request.text for request in answered])
        rows += scoring.of_rankings(data_set.name, len(data_set.tools), answered, ranked)
        points[data_set.name] = fitting.curve(answered, ranked)
    (folder / "search.json").write_text(json.dumps(report.as_json(rows), indent=1) + "\n")
    (folder / "search.md").write_text(_page(rows, points))
    _plot_quality(rows).savefig(folder / "search.svg")
    _plot_fitting(points).savefig(folder / "nothing_fits.svg")


def _models(folder: Path) -> list[Embedder]:
    loaded = [embedders.load(one.backend, one.model, one.options) for one in conf.wanted_embeddings()]
    return [Remembered(one, folder / "vectors.sqlite3") for one in loaded if one is not None]


def _data_sets() -> list[DataSet]:
    folders = datasets.find(SHARED) or [PROBE]
    return [variant for folder in folders for variant in datasets.load(folder).variants()]


def _page(rows: Sequence[Measurement], points: dict[str, list[Point]]) -> str:
    curves = [f"### {name}\n\n{fitting.markdown(found)}" for name, found in points.items()]
    return "\n\n".join([report.markdown(rows), *curves]) + "\n"


def _plot_quality(rows: Sequence[Measurement]) -> Figure:
    whole = [row for row in rows if not row.language]
    figure = Figure(figsize=(8, 0.5 * len(whole) + 1.2), layout="constrained")
    axes = figure.subplots()
    for place, row in enumerate(reversed(whole)):
        first = row.measures[0]
        error = [[first.mean - first.low], [first.high - first.mean]]
        axes.barh(place, first.mean, xerr=error, color="#417690", ecolor="#1c3643", capsize=3)
    axes.set_yticks(range(len(whole)), [row.name for row in reversed(whole)])
    axes.set_xlim(0, 100)
    axes.set_xlabel("nDCG@10, per cent; the line holds 95 % of resampled means")
    return figure


def _plot_fitting(points: dict[str, list[Point]]) -> Figure:
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for name, found in points.items():
        recalls, precisions = [p.recall for p in found], [p.precision for p in found]
        axes.plot(recalls, precisions, marker=".", label=name)
        chosen = min(found, key=lambda point: abs(point.threshold - NOTHING_FITS))
        axes.plot(chosen.recall, chosen.precision, marker="o", color="black", markersize=4)
    axes.set_xlabel("recall: of what fits nothing, how much is told")
    axes.set_ylabel("precision: of what is told, how much is right")
    axes.set_ylim(0.4, 1.02)
    axes.legend(fontsize="small")
    return figure
