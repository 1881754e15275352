"""Generations: what ends kept answers, in this process and in others, with and without Valkey."""

import pytest
from django.core.cache import cache
from django.db import transaction

from registry.services import generations
from registry.services.generations import Generations


class Clock:
    """Seconds that pass when told."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture(autouse=True)
def _empty_cache():
    cache.clear()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def _without_valkey(settings):
    dead = {**settings.CACHES["default"], "LOCATION": "unix:///tmp/toolroster-no-such.sock"}
    settings.CACHES = {"default": dead}


def process(clock: Clock, *, seconds: float = 0.25) -> Generations:
    return Generations(seconds, clock=clock)


@pytest.mark.parametrize(
    ("changed", "ended", "kept"),
    [
        (["mail"], [["mail"], ["mail", "sms"], []], [["sms"]]),
        (["mail", "sms"], [["mail"], ["sms"], []], [["other"]]),
        ([], [[]], [["mail"], ["sms"]]),
    ],
)
def test_a_change_ends_its_categories_and_the_list_of_all(clock, changed, ended, kept):
    ours = process(clock, seconds=0)
    before = {str(question): ours.of(question) for question in (*ended, *kept)}

    ours.replace(changed)

    assert [ours.of(question) == before[str(question)] for question in ended] == [False] * len(ended)
    assert [ours.of(question) == before[str(question)] for question in kept] == [True] * len(kept)


def test_everything_ends_at_once(clock):
    ours = process(clock)
    before = [ours.of([]), ours.of(["mail"])]

    ours.replace_everything()

    assert ours.of([]) != before[0]
    assert ours.of(["mail"]) != before[1]


def test_the_process_that_makes_a_change_sees_it_at_once(clock):
    ours = process(clock)
    before = ours.of(["mail"])

    ours.replace(["mail"])

    assert ours.of(["mail"]) != before


@pytest.mark.parametrize(("age", "is_seen"), [(0.0, False), (0.24, False), (0.26, True)])
def test_another_process_sees_it_within_a_quarter_of_a_second(clock, age, is_seen):
    ours, other = process(clock), process(clock)
    before = other.of(["mail"])
    ours.replace(["mail"])

    clock.seconds += age

    assert (other.of(["mail"]) != before) is is_seen


def test_a_strict_process_sees_it_in_its_next_question(clock):
    ours, strict = process(clock), process(clock, seconds=0)
    before = strict.of(["mail"])

    ours.replace(["mail"])

    assert strict.of(["mail"]) != before
    assert strict.known(generations.names_of(["mail"])) is None


def test_processes_agree(clock):
    assert process(clock).of(["mail"]) == process(clock).of(["mail"])


def test_what_valkey_lost_matches_nothing_that_was_kept(clock):
    ours = process(clock, seconds=0)
    before = ours.of(["mail"])

    cache.clear()

    assert ours.of(["mail"]) != before


@pytest.mark.usefixtures("_without_valkey")
def test_without_valkey_there_are_none_and_it_is_asked_every_two_seconds(clock, caplog):
    ours = process(clock)

    for seconds in (0, 1, 1.9, 2.1, 3):
        clock.seconds = 100 + seconds
        assert ours.of([]) is None

    assert caplog.messages == ["answers are not kept: Valkey is down"] * 2


def test_a_change_that_could_not_be_told_is_told_later_and_nothing_is_kept_meanwhile(clock, settings):
    ours, other, living = process(clock), process(clock, seconds=0), settings.CACHES
    before = other.of(["mail"])
    settings.CACHES = {"default": {**living["default"], "LOCATION": "unix:///tmp/toolroster-no-such.sock"}}
    ours.replace(["mail"])
    assert ours.of(["sms"]) is None

    settings.CACHES = living
    clock.seconds += 2

    assert ours.of(["sms"]) is not None
    assert other.of(["mail"]) != before


@pytest.mark.django_db(transaction=True)
def test_generations_are_replaced_after_the_commit_and_not_after_a_rollback():
    before = generations.shared.of(["mail"])

    with transaction.atomic():
        generations.replace_on_commit(["mail"])
        transaction.set_rollback(True)
    assert generations.shared.of(["mail"]) == before

    with transaction.atomic():
        generations.replace_on_commit(["mail"])
        assert generations.shared.of(["mail"]) == before
    assert generations.shared.of(["mail"]) != before
