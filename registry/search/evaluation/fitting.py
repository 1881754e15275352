"""How well "nothing fits" is told: the score of the best tool, where a tool fits and where it was taken away.

Each request is asked twice: of the catalogue as it is, and of the catalogue without the tools that answer it.
The second is the hard case: what is left are the neighbours of the right tool.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from registry.search.evaluation.corpus import Ranked
from registry.search.evaluation.datasets import Request

THRESHOLDS = tuple(round(0.02 * step, 2) for step in range(5, 21))


@dataclass(frozen=True, slots=True)
class Point:
    """One threshold, in shares.

    `precision`: of what is told to fit nothing, how much is right; `recall`: of what fits nothing, how much
    is told; `lost`: of what fits, how much is told to fit nothing.
    """

    threshold: float
    precision: float
    recall: float
    lost: float


def curve(requests: Sequence[Request], ranked: Sequence[Ranked]) -> list[Point]:
    """Return the points of the precision/recall curve, by rising threshold."""
    pairs = list(zip(requests, ranked, strict=True))
    fitting = [found.scores[0] for _, found in pairs if found.scores]
    unfitting = [_without(request, found) for request, found in pairs]
    return [_point(threshold, fitting, unfitting) for threshold in THRESHOLDS]


def _without(request: Request, found: Ranked) -> float:
    """Return the best score of a tool that does not answer the request."""
    scored = zip(found.ids, found.scores, strict=True)
    return next((score for key, score in scored if key not in request.gains), 0.0)


def _point(threshold: float, fitting: Sequence[float], unfitting: Sequence[float]) -> Point:
    lost, told = _below(threshold, fitting), _below(threshold, unfitting)
    return Point(
        threshold,
        precision=told / (told + lost) if told + lost else 1.0,
        recall=told / len(unfitting) if unfitting else 0.0,
        lost=lost / len(fitting) if fitting else 0.0,
    )


def _below(threshold: float, scores: Iterable[float]) -> int:
    return sum(score < threshold for score in scores)


def markdown(points: Sequence[Point]) -> str:
    """Return the curve as a table, in per cent."""
    head = "| score below | precision | recall | lost |\n| --: | --: | --: | --: |"
    return "\n".join([head, *map(_line, points)])


def _line(point: Point) -> str:
    shares = f"{100 * point.precision:.0f} | {100 * point.recall:.0f} | {100 * point.lost:.1f}"
    return f"| {point.threshold:.2f} | {shares} |"
