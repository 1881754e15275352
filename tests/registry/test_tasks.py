"""Tasks: they repair what was lost, can run twice, and never fail a request."""

import time

import pytest
from celery import Celery
from django.core.cache import cache
from django.db import transaction
from django.utils import timezone

from config.celery import app
from registry import conf, tasks
from registry.models import EmbeddingSpace, LeaseWatch, ToolEmbedding, ToolUse
from registry.search import ann
from registry.services import indexing, pulse, spaces, usage
from tests.factories import EVERYTHING, make_document, make_registration, register
from tests.registry.embedding import WORDS, PickyEmbedder

pytestmark = pytest.mark.django_db


@pytest.fixture
def model(backend, settings):
    """The settings ask for a model in memory."""
    settings.EMBEDDING_BACKEND, settings.EMBEDDING_MODEL = WORDS, "model-a"
    return backend


@pytest.fixture
def _eager(monkeypatch):
    """Tasks that are sent run at once."""
    for name in ("task_always_eager", "task_eager_propagates"):
        monkeypatch.setitem(app.conf, name, value=True)


@pytest.fixture
def dead_task():
    """A task whose broker is a port where nothing listens, with the platform's options."""
    dead = Celery("dead", broker="redis://127.0.0.1:1/0", set_as_current=False)
    dead.conf.broker_transport_options = dict(app.conf.broker_transport_options)
    return dead.task(name="dead.task")(_do_nothing)


def _do_nothing() -> None:
    """Is a task."""


@pytest.mark.usefixtures("_eager")
def test_embedding_some_leaves_the_rest_to_the_pass(model):
    row = make_registration()
    make_registration(name="other", description="Other words.")

    tasks.embed([row.pk])
    after_some = ToolEmbedding.objects.count()
    tasks.embed_missing()

    assert (after_some, ToolEmbedding.objects.count()) == (1, 2)


@pytest.mark.usefixtures("_eager")
def test_tasks_go_on_from_each_other_until_all_is_embedded(model):
    rows = [
        make_registration(name=f"t{n}", description=f"Word {n}.") for n in range(tasks.EMBEDDING_BATCH + 2)
    ]

    tasks.embed([row.pk for row in rows])

    assert ToolEmbedding.objects.count() == len(rows)


@pytest.mark.usefixtures("_eager")
def test_the_pass_goes_on_until_all_is_embedded_and_swaps_the_space_in(model, settings):
    for number in range(tasks.EMBEDDING_BATCH * 2 + 1):
        make_registration(name=f"t{number}", description=f"Word {number}.")
    tasks.embed_missing()

    settings.EMBEDDING_MODEL = "model-b"
    tasks.embed_missing()

    space = EmbeddingSpace.objects.get()
    assert (space.model, space.is_current, space.embeddings.count()) == ("model-b", True, 17)


@pytest.mark.usefixtures("_eager")
def test_embedding_twice_asks_the_model_once(model):
    row = make_registration()

    tasks.embed([row.pk])
    calls = len(model.models["model-a"].calls)
    tasks.embed([row.pk])
    tasks.embed_missing()

    assert len(model.models["model-a"].calls) == calls


@pytest.mark.usefixtures("_eager")
def test_changed_words_are_embedded_again(model):
    row = make_registration()
    tasks.embed([row.pk])
    register(make_document(description="Other words."))

    tasks.embed_missing()

    [first], [second] = [texts for side, texts in model.models["model-a"].calls if side == "document"][-2:]
    assert ("Send an email." in first, "Other words." in second) == (True, True)


def test_a_model_that_is_away_loses_nothing(model, caplog):
    model.broken.add("model-a")
    row = make_registration()

    tasks.embed([row.pk])
    tasks.embed_missing()

    assert not ToolEmbedding.objects.exists()
    assert "tools wait for their embeddings" in caplog.text


@pytest.mark.usefixtures("_eager")
@pytest.mark.parametrize("good", [1, tasks.EMBEDDING_BATCH + 1])
def test_a_text_that_the_model_does_not_take_delays_only_itself(model, good):
    model.models["model-a"] = PickyEmbedder("poison")
    make_registration(description="poison")
    for number in range(good):
        make_registration(name=f"t{number}", description=f"Word {number}.")

    tasks.embed_missing()

    assert ToolEmbedding.objects.count() == good


def test_without_a_backend_nothing_is_embedded(settings):
    make_registration()
    settings.EMBEDDING_BACKEND = "none"

    tasks.embed_missing()

    assert not EmbeddingSpace.objects.exists()


def test_one_run_over_all_at_a_time(model):
    make_registration()
    cache.set(tasks.EMBEDDING_RUN, "running", timeout=60)

    tasks.embed_missing()
    meanwhile = ToolEmbedding.objects.count()
    cache.delete(tasks.EMBEDDING_RUN)

    assert meanwhile == 0


def test_the_sweep_runs_with_the_clock_and_the_settings():
    before = timezone.now()

    tasks.mark_stale_tools()

    assert LeaseWatch.objects.filter(swept_at__gte=before).exists()


@pytest.mark.django_db(transaction=True)
def test_a_space_that_has_become_large_gets_its_index(model, monkeypatch):
    monkeypatch.setattr(ann, "WORTH_IT", 0)
    row = make_registration()
    space = spaces.target(conf.wanted_embeddings()[0], now=timezone.now())
    assert space is not None
    indexing.embed([row.search_text], space=space, now=timezone.now())

    tasks.maintain_indexes()
    ready = ann.is_ready(space.row)
    space.row.delete()
    monkeypatch.setattr(ann, "WORTH_IT", 20_000)
    tasks.maintain_indexes()

    assert ready
    assert ann._indexes() == []


def test_one_index_is_built_at_a_time(model, monkeypatch):
    monkeypatch.setattr(ann, "maintain", None)
    cache.set(tasks.INDEX_RUN, "running", timeout=60)

    tasks.maintain_indexes()

    cache.delete(tasks.INDEX_RUN)


def test_uses_are_written():
    conf.store().delete("tr:use", "tr:use:taken")
    usage.note(ToolUse.Kind.RESOLVE, make_registration().pk, principal=EVERYTHING, store=conf.store())

    tasks.record_uses()

    assert ToolUse.objects.get().count == 1


def test_the_worker_notes_its_pulse():
    tasks.pulse()

    assert pulse.is_alive("worker", now=timezone.now())


@pytest.mark.django_db(transaction=True)
def test_a_task_is_sent_when_the_transaction_has_committed(sent):
    with transaction.atomic():
        tasks.enqueue_on_commit(tasks.embed, [1])
        before = len(sent())

    assert (before, len(sent())) == (0, 1)


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_gives_up_sends_nothing(sent):
    with transaction.atomic():
        tasks.enqueue_on_commit(tasks.embed, [1])
        transaction.set_rollback(True)

    assert len(sent()) == 0


@pytest.mark.django_db(transaction=True)
def test_with_the_broker_down_a_commit_neither_fails_nor_hangs(dead_task, caplog):
    begun = time.monotonic()

    with transaction.atomic():
        tasks.enqueue_on_commit(dead_task)

    assert time.monotonic() - begun < 5
    assert "the broker is down" in caplog.text


def test_every_task_has_a_time_limit_or_is_short():
    ours = [task for name, task in app.tasks.items() if name.startswith("registry.tasks.")]

    assert {task.name for task in ours if task.soft_time_limit is None} <= {"registry.tasks.pulse"}
    assert len(ours) == 7
