"""Answers on disk: whole or not at all, private, bounded, and never a reason to fail."""

import json
import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from toolroster.client import disk
from toolroster.client.disk import DiskCache


class Clock:
    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(tmp_path: Path, clock: Clock) -> DiskCache:
    return DiskCache(tmp_path / "answers", clock=clock)


def test_an_answer_comes_back_with_its_tag_and_age(cache, clock):
    cache.put("list", {"results": ["发送"]}, etag='W/"1"')
    clock.now += 30

    entry = cache.get("list")

    assert (entry.content, entry.etag, cache.age_of(entry)) == ({"results": ["发送"]}, 'W/"1"', 30)


def test_what_was_never_kept_is_none(cache):
    assert cache.get("list") is None
    assert list(cache.entries()) == []


def test_folder_and_files_are_the_users_alone(cache, tmp_path):
    cache.put("list", 1)
    [path] = (tmp_path / "answers").iterdir()

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"key": "list"}', b"\xff\xfe", b"null"])
def test_a_file_that_is_broken_is_as_if_there_were_none(cache, tmp_path, content):
    cache.put("list", 1)
    [path] = (tmp_path / "answers").iterdir()
    path.write_bytes(content)

    assert cache.get("list") is None
    assert list(cache.entries()) == []
    cache.put("list", 2)
    assert cache.get("list").content == 2


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path):
    (tmp_path / "file").write_text("no folder")
    cache = DiskCache(tmp_path / "file" / "answers")

    cache.put("list", 1)

    assert cache.get("list") is None


def test_the_oldest_answers_go(tmp_path, clock, monkeypatch):
    monkeypatch.setattr(disk, "_CHECK_EVERY", 1)
    cache = DiskCache(tmp_path, clock=clock, most_bytes=3_000)
    for number in range(10):
        cache.put(f"{number}", "x" * 1000)
        os.utime(cache._path(f"{number}"), (number, number))
    cache.put("last", "x" * 1000)

    kept = {entry.key for entry in cache.entries()}
    assert "last" in kept
    assert "0" not in kept
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 3_000


def test_an_answer_that_is_too_large_is_not_kept(cache, monkeypatch):
    monkeypatch.setattr(disk, "MOST_ENTRY_BYTES", 100)

    cache.put("list", "x" * 200)

    assert cache.get("list") is None


def _write(folder: str, number: int) -> None:
    cache = DiskCache(folder)
    for turn in range(50):
        cache.put("list", {"writer": number, "rows": ["x" * 200] * (turn % 5 + 1)})


def test_processes_that_write_at_once_never_leave_half_an_answer(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=_write, args=(str(tmp_path), number)) for number in range(3)]
    for writer in writers:
        writer.start()
    seen = 0
    cache = DiskCache(tmp_path)
    while any(writer.is_alive() for writer in writers):
        for path in tmp_path.glob("*.json"):
            json.loads(path.read_text())
            seen += 1
    for writer in writers:
        writer.join()

    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert seen > 0
    assert cache.get("list").content["writer"] in {0, 1, 2}
    assert list(tmp_path.glob("*.part")) == []


def test_where_answers_are_kept_can_be_said(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert disk.default_folder() == tmp_path / "toolroster"
    monkeypatch.setenv("TOOLROSTER_CACHE", str(tmp_path / "mine"))
    assert disk.default_folder() == tmp_path / "mine"
