"""Measures of rankings, against values worked out by hand."""

import math

import numpy as np
import pytest

from registry.search.evaluation import metrics

GRADED = {"a": 2.0, "b": 1.0}


@pytest.mark.parametrize(
    ("ranked", "gains", "expected"),
    [
        (["a"], {"a": 1.0}, (1, 1, 1, 1, 1)),
        (["x", "a"], {"a": 1.0}, (1 / math.log2(3), 0, 1, 1, 0.5)),
        (["x"] * 10 + ["a"], {"a": 1.0}, (0, 0, 0, 0, 1 / 11)),
        (["x"], {"a": 1.0}, (0, 0, 0, 0, 0)),
        ([], {"a": 1.0}, (0, 0, 0, 0, 0)),
        (["a", "x", "b"], {"a": 1.0, "b": 1.0}, (1.5 / (1 + 1 / math.log2(3)), 0.5, 1, 1, 1)),
        (["b", "a"], GRADED, ((1 + 2 / math.log2(3)) / (2 + 1 / math.log2(3)), 0.5, 1, 1, 1)),
    ],
)
def test_a_ranking_has_its_measures(ranked, gains, expected):
    assert metrics.of_ranking(ranked, gains) == pytest.approx(expected)


def test_the_best_ranking_of_more_than_ten_answers_has_all_of_the_gain():
    gains = {str(number): 1.0 for number in range(15)}

    assert metrics.ndcg(list(gains)[:10], gains) == pytest.approx(1)


def test_the_mean_lies_in_its_interval_which_more_requests_narrow():
    few = np.array([[1.0], [0.0]] * 10)
    many = np.array([[1.0], [0.0]] * 1000)

    (wide,), (narrow,) = metrics.summarised(few), metrics.summarised(many)

    assert wide.mean == narrow.mean == 50
    assert wide.low < narrow.low < 50 < narrow.high < wide.high
    assert metrics.summarised(few) == (wide,)  # the same each time
