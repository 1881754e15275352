"""Draw what was measured: CPU, on logarithmic scales."""

from collections.abc import Mapping

from matplotlib.axes import Axes
from matplotlib.figure import Figure

_ROW_INCHES, _HEAD_INCHES = 0.28, 0.8
_MARKERS = "os^Dv"


def of_costs(panels: Mapping[str, Mapping[str, float]]) -> Figure:
    """Return a figure with a panel for each title, and in it a bar for each variant and its µs of CPU."""
    heights = [_HEAD_INCHES + _ROW_INCHES * len(costs) for costs in panels.values()]
    figure = Figure(figsize=(9, sum(heights)), layout="constrained")
    axes = figure.subplots(len(panels), squeeze=False, gridspec_kw={"height_ratios": heights})
    for one, (title, costs) in zip(axes[:, 0], panels.items(), strict=True):
        _fill(one, title, costs)
    return figure


def _fill(axes: Axes, title: str, costs: Mapping[str, float]) -> None:
    bars = axes.barh(range(len(costs)), list(costs.values()), color="#417690")
    axes.bar_label(bars, fmt="{:,.3g}", padding=3, fontsize="x-small")
    axes.set_yticks(range(len(costs)), list(costs), fontsize="small")
    axes.invert_yaxis()
    axes.margins(x=0.1)
    axes.set_xscale("log")
    axes.set_xlabel("CPU of our process and of PostgreSQL, µs", fontsize="x-small")
    axes.set_title(title, loc="left", fontsize="medium")


def of_growth(costs: Mapping[str, Mapping[int, float]]) -> Figure:
    """Return a figure with a line for each title: µs of CPU over the number of registrations."""
    figure = Figure(figsize=(10, 7), layout="constrained")
    axes = figure.subplots()
    for number, (title, by_size) in enumerate(costs.items()):
        axes.plot(list(by_size), list(by_size.values()), marker=_MARKERS[number % len(_MARKERS)], label=title)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("registrations")
    axes.set_ylabel("CPU of our process and of PostgreSQL, µs")
    figure.legend(loc="outside right upper", fontsize="x-small")
    return figure
