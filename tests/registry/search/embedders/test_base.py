"""What every backend's answer is held to."""

import numpy as np
import pytest

from registry.search.embedders.base import as_unit_rows, named
from registry.search.errors import EmbedderUnavailable


def test_rows_become_unit_float32():
    rows = as_unit_rows([[3, 4], [0, 0]], rows=2)

    assert rows.dtype == np.float32
    assert rows == pytest.approx(np.array([[0.6, 0.8], [0, 0]]))


@pytest.mark.parametrize(
    "answer", [[[1.0]], [1.0, 2.0], [[1.0], [1.0, 2.0]], [["x"], ["y"]], [[1.0], [float("nan")]], None]
)
def test_anything_but_a_finite_matrix_is_refused(answer):
    with pytest.raises(EmbedderUnavailable, match="The model answered"):
        as_unit_rows(answer, rows=2)


def test_name_changes_with_the_prefixes():
    assert named("m", ("", "")) == "m"
    assert len({named("m", ("", "")), named("m", ("q: ", "")), named("m", ("", "q: "))}) == 3


def test_name_of_a_long_path_is_short_and_distinct():
    names = {named(f"{n}{'/deep' * 100}/model", ("", "")) for n in range(2)}

    assert len(names) == 2
    assert max(map(len, names)) <= 120
