"""Private files are whole, and readable by their owner alone."""

import os
import stat

from config import private_file


def test_only_the_owner_can_read_it_whatever_the_umask(tmp_path):
    before = os.umask(0)
    try:
        private_file.write(tmp_path / "note", "secret")
    finally:
        os.umask(before)

    assert stat.S_IMODE((tmp_path / "note").stat().st_mode) == 0o600
    assert (tmp_path / "note").read_text() == "secret"


def test_it_replaces_the_old_file_and_leaves_nothing_else(tmp_path):
    private_file.write(tmp_path / "note", "old")

    private_file.write(tmp_path / "note", "new")

    assert (tmp_path / "note").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["note"]


def test_the_draft_of_a_killed_writer_does_not_disturb(tmp_path):
    (tmp_path / "note.new").write_text("half")

    private_file.write(tmp_path / "note", "whole")

    assert [path.name for path in tmp_path.iterdir()] == ["note"]
