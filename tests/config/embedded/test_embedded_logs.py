import os
from pathlib import Path

from config.embedded import logs


def test_a_log_that_outgrew_its_bound_keeps_its_end(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("old " * 100 + "the end")
    descriptor = logs.open_for_append(log)

    assert logs.trim(log, max_bytes=7) is True

    os.write(descriptor, b"new")
    os.close(descriptor)
    assert (tmp_path / "server.log.1").read_text() == "the end"
    assert log.read_text() == "new"


def test_a_small_log_is_left_alone(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text("short")

    assert logs.trim(log) is False
