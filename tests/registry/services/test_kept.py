"""Answers that are kept: made once, bounded, shared among processes."""

import gzip
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.cache import cache

from registry.services import kept
from registry.services.kept import Answers, Made

NOW = 1_000_000.0


@pytest.fixture(autouse=True)
def _empty_cache():
    cache.clear()


@pytest.fixture
def _without_valkey(settings):
    dead = {**settings.CACHES["default"], "LOCATION": "unix:///tmp/toolroster-no-such.sock"}
    settings.CACHES = {"default": dead}


class Maker:
    """Makes answers that tell how many were made before."""

    def __init__(self, *, seconds: float = 0, lasts: float = 100) -> None:
        self.made = 0
        self.seconds = seconds
        self.lasts = lasts
        self._lock = threading.Lock()

    def __call__(self) -> Made:
        with self._lock:
            self.made += 1
        time.sleep(self.seconds)
        return Made(b"%d" % self.made, NOW + self.lasts)


def test_an_answer_is_made_once():
    answers, make = Answers(), Maker()

    found = [answers.fetch("a", make, now=NOW).body for _ in range(3)]

    assert (found, make.made) == ([b"1"] * 3, 1)


def test_each_key_has_its_own():
    answers, make = Answers(), Maker()

    assert [answers.fetch(key, make, now=NOW).body for key in "aba"] == [b"1", b"2", b"1"]


@pytest.mark.parametrize(("later", "made"), [(99.0, 1), (100.0, 2)])
def test_an_answer_counts_until_it_expires(later, made):
    answers, make = Answers(), Maker()
    answers.fetch("a", make, now=NOW)

    answers.fetch("a", make, now=NOW + later)

    assert make.made == made


def test_another_process_takes_what_the_first_one_made():
    make = Maker()
    Answers().fetch("a", make, now=NOW)

    found = Answers().fetch("a", make, now=NOW)

    assert (found.body, make.made) == (b"1", 1)


def test_of_a_stampede_one_thread_makes_the_answer_and_all_get_it():
    answers, make = Answers(), Maker(seconds=0.2)

    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(lambda _: answers.fetch("a", make, now=NOW).body, range(32)))

    assert (set(found), make.made) == ({b"1"}, 1)


def test_of_a_stampede_in_two_processes_one_makes_the_answer():
    processes, make = [Answers(), Answers()], Maker(seconds=0.2)

    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda n: processes[n % 2].fetch("a", make, now=NOW).body, range(16)))

    assert (set(found), make.made) == ({b"1"}, 1)


def test_a_process_that_dies_while_it_makes_an_answer_holds_nobody_up_for_long(monkeypatch):
    monkeypatch.setattr(kept, "_PATIENCE_SECONDS", 0.1)
    cache.add("a:lock", 1, timeout=5)

    assert Answers().fetch("a", Maker(), now=NOW).body == b"1"


def test_an_error_is_told_and_not_kept():
    def fail() -> Made:
        raise ZeroDivisionError

    answers = Answers()
    with pytest.raises(ZeroDivisionError):
        answers.fetch("a", fail, now=NOW)

    assert answers.fetch("b", Maker(), now=NOW).body == b"1"


def test_the_least_recently_used_go_first():
    answers = Answers(most_bytes=2_500)
    for key in "ab":
        answers.put(key, kept.keep(Made(b"x" * 500, NOW + 100)))
    answers.get("a", now=NOW)

    answers.put("c", kept.keep(Made(b"x" * 500, NOW + 100)))

    assert [answers.get(key, now=NOW) is not None for key in "abc"] == [True, False, True]


def test_the_same_bytes_have_the_same_tag_and_others_another():
    one, same, other = (kept.keep(Made(body, NOW)) for body in (b"a", b"a", b"b"))

    assert one.etag == same.etag != other.etag


def test_what_is_worth_it_is_compressed():
    long, short = kept.keep(Made(b"x" * 5_000, NOW)), kept.keep(Made(b"x", NOW))

    assert gzip.decompress(long.compressed) == long.body
    assert len(long.compressed) < 200
    assert short.compressed == b""


@pytest.mark.usefixtures("_without_valkey")
def test_without_valkey_each_process_keeps_its_own():
    make = Maker()

    assert [Answers().fetch("a", make, now=NOW).body for _ in range(2)] == [b"1", b"2"]
