"""The index for large spaces: built when it pays, asked for many, never at the cost of recall."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from django.db import connection

from registry.models import EmbeddingSpace, SearchText, ToolEmbedding
from registry.search import ann, meaning
from registry.search.embedders.base import normalise
from registry.search.shown import Shown
from tests.factories import NOW

DIMENSIONS = 8

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _small_is_large(monkeypatch):
    monkeypatch.setattr(ann, "WORTH_IT", 50)
    yield
    with connection.cursor() as cursor:
        for name, _ in ann._indexes():
            cursor.execute(f"DROP INDEX {name}")


def make_space(rows: int) -> EmbeddingSpace:
    """Return a space with vectors all around."""
    space = EmbeddingSpace.objects.create(space_id="fake", backend="fake", is_current=True, created_at=NOW)
    texts = SearchText.objects.bulk_create(
        SearchText(words_hash=f"{number}", length=1) for number in range(rows)
    )
    vectors = normalise(np.random.default_rng(1).standard_normal((rows, DIMENSIONS)).astype(np.float32))
    ToolEmbedding.objects.bulk_create(
        ToolEmbedding(text=text, space=space, vector=vector, content_hash="x", created_at=NOW)
        for text, vector in zip(texts, vectors, strict=True)
    )
    return space


def query(seed: int = 2) -> np.ndarray:
    return normalise(np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32))


def texts() -> list[int]:
    return list(SearchText.objects.order_by("pk").values_list("pk", flat=True))


def shown(ids: Iterable[int] | None = None) -> Shown:
    """Show texts, all if none are named, each with one registration."""
    return Shown.of((number, text) for number, text in enumerate(texts() if ids is None else ids))


def nearest(space: EmbeddingSpace, looked_at: Shown) -> dict[int, float]:
    return meaning.Asked(query(), space=space, shown=looked_at).nearest(10)


def plan_of(space: EmbeddingSpace) -> str:
    """Return how PostgreSQL runs the statement of `ann.nearest`."""
    sql = ann._NEAREST.format(dimensions=DIMENSIONS, space=space.pk)
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan TO off")
        values: Any = {"vector": str(query().tolist()), "limit": 5}
        cursor.execute(f"EXPLAIN {sql}", values)
        plan = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute("SET enable_seqscan TO on")
    return plan


@pytest.mark.parametrize(("rows", "is_built"), [(50, False), (51, True)])
def test_an_index_is_built_once_it_pays(rows, is_built):
    space = make_space(rows)

    built = [ann.maintain(space, dimensions=DIMENSIONS) for _ in range(2)]

    assert built == [is_built, False]
    assert ann.is_ready(space) is is_built


def test_the_statement_is_one_that_the_index_serves():
    space = make_space(60)
    ann.maintain(space, dimensions=DIMENSIONS)

    assert ann.name_of(space) in plan_of(space)


def test_the_index_finds_what_an_exact_scan_finds():
    space = make_space(300)
    exact = nearest(space, shown())
    ann.maintain(space, dimensions=DIMENSIONS)

    found = ann.nearest(query(), space=space, shown=shown(), limit=10)

    assert found is not None
    assert len(found.keys() & exact.keys()) >= 9
    assert list(found.values()) == sorted(found.values(), reverse=True)
    assert nearest(space, shown()) == found


def test_who_looks_at_few_is_answered_exactly(monkeypatch):
    space = make_space(100)
    ann.maintain(space, dimensions=DIMENSIONS)
    monkeypatch.setattr(ann, "nearest", None)

    assert len(nearest(space, shown(texts()[:50]))) == 10


def test_where_the_index_finds_too_few_the_scan_is_exact(monkeypatch):
    space = make_space(100)
    ann.maintain(space, dimensions=DIMENSIONS)
    looked_at = shown([*texts()[:5], *range(10_000_000, 10_000_060)])

    assert ann.nearest(query(), space=space, shown=looked_at, limit=10) is None
    assert len(nearest(space, looked_at)) == 5


def test_an_index_of_a_space_that_is_gone_is_dropped():
    space = make_space(60)
    ann.maintain(space, dimensions=DIMENSIONS)
    name = ann.name_of(space)
    space.delete()
    other = EmbeddingSpace.objects.create(space_id="other", backend="fake", created_at=NOW)

    ann.maintain(other, dimensions=DIMENSIONS)

    assert name not in dict(ann._indexes())


def test_an_index_whose_building_broke_off_is_built_anew():
    space = make_space(60)
    ann.maintain(space, dimensions=DIMENSIONS)
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass", [ann.name_of(space)]
        )
    ann.ready.forget()
    assert not ann.is_ready(space)

    assert ann.maintain(space, dimensions=DIMENSIONS)
    assert ann.is_ready(space)
