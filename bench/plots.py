"""Draw what was measured: CPU, on logarithmic scales. Dots, not bars: such a scale has no zero."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_COLOUR = "#417690"
_ROW_INCHES, _HEAD_INCHES = 0.28, 0.8
_MARKERS = "os^Dv"
_CPU = "CPU of our process and of PostgreSQL, µs"


def number(value: float) -> str:
    """Return three significant digits; the noise is in the second."""
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def of_costs(panels: Mapping[str, Mapping[str, float]]) -> Figure:
    """Return a figure with a panel for each title, and in it a dot for each variant and its µs of CPU."""
    heights = [_HEAD_INCHES + _ROW_INCHES * len(costs) for costs in panels.values()]
    figure = Figure(figsize=(9, sum(heights)), layout="constrained")
    axes = figure.subplots(len(panels), squeeze=False, gridspec_kw={"height_ratios": heights})
    for one, (title, costs) in zip(axes[:, 0], panels.items(), strict=True):
        _fill(one, title, costs)
    return figure


def _fill(axes: Axes, title: str, costs: Mapping[str, float]) -> None:
    axes.plot(list(costs.values()), range(len(costs)), "o", color=_COLOUR)
    for place, cost in enumerate(costs.values()):
        axes.annotate(number(cost), (cost, place), (6, -3), textcoords="offset points", fontsize="x-small")
    axes.set_yticks(range(len(costs)), list(costs), fontsize="small")
    axes.invert_yaxis()
    axes.margins(x=0.15, y=0.2)
    axes.grid(axis="y", alpha=0.3)
    axes.set_xscale("log")
    axes.tick_params(axis="x", which="both", labelsize="x-small")
    axes.set_xlabel(_CPU, fontsize="x-small")
    axes.set_title(title, loc="left", fontsize="medium")


def of_growth(costs: Mapping[str, Mapping[int, float]]) -> Figure:
    """Return a figure with a panel for each subject: µs of CPU over the number of registrations.

    `costs` are by title, `subject: variant`, the variants of one subject side by side.
    """
    subjects = [(name, list(titles)) for name, titles in groupby(costs, key=_subject)]
    figure = Figure(figsize=(9, 2.6 * len(subjects)), layout="constrained")
    axes = figure.subplots(len(subjects), squeeze=False, sharex=True)[:, 0]
    for one, (name, titles) in zip(axes, subjects, strict=True):
        _grow(one, name, titles, costs)
    axes[-1].set_xlabel("registrations")
    return figure


def _subject(title: str) -> str:
    return title.partition(": ")[0]


def _grow(axes: Axes, name: str, titles: Sequence[str], costs: Mapping[str, Mapping[int, float]]) -> None:
    for place, title in enumerate(titles):
        by_size, variant = costs[title], title.partition(": ")[2]
        marker = _MARKERS[place % len(_MARKERS)]
        axes.plot(list(by_size), list(by_size.values()), marker=marker, markersize=4, label=variant)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(name, loc="left", fontsize="medium")
    axes.set_ylabel("CPU, µs", fontsize="small")
    axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
