"""`bind`, `inbox`, `lock`, `verify`: files and errors; tests/e2e has them with a registry."""

import json
import sys

import pytest

from tests.toolroster.cli.test_cli import _own_folders, run, write  # noqa: F401 - the fixture works here too
from tests.toolroster.client import hostile

BOUND = {"results": [{"ref": "a/b@^1", "bound": "a:b:1.2.0", "lifecycle": "ACTIVE"}]}


@pytest.mark.parametrize(
    ("name", "content", "sent"),
    [
        ("refs.json", '["a/b@^1", "c"]', b'["a/b@^1","c"]'),
        ("refs.json", '{"refs": ["a/b"]}', b'["a/b"]'),
        ("refs.yaml", "tools:\n  - a/b@^1\n  - c\n", b'["a/b@^1","c"]'),
        ("refs.yml", "- a/b\n", b'["a/b"]'),
    ],
)
def test_references_are_read_from_files(tmp_path, name, content, sent):
    file = write(tmp_path / name, content)

    with hostile.Registry(BOUND).running() as registry:
        done = run("--url", registry.url, "bind", "--file", file)

    assert (done.exit_code, "a:b:1.2.0" in done.output) == (0, True), done.output
    assert registry.last.startswith(b"PUT /api/agents/me/bindings")


@pytest.mark.parametrize(
    ("name", "content", "code", "said"),
    [
        ("refs.json", "{", 1, "refs.json"),
        ("refs.json", '{"agents": []}', 1, "no list of references"),
        ("refs.json", "[1]", 1, "no list of references"),
        ("refs.yaml", "a: [", 1, "no YAML"),
        ("refs.yaml", "b", 1, "no list of references"),
        ("refs.yaml", "- 2020-13-45", 1, "no YAML"),
    ],
)
def test_a_file_without_references_is_told(tmp_path, name, content, code, said):
    for command in ("bind", "lock"):
        done = run(command, "--file", write(tmp_path / name, content))
        assert (done.exit_code, said in done.output) == (code, True), done.output


def test_yaml_without_its_package_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)

    done = run("bind", "--file", write(tmp_path / "refs.yaml", "- a"))

    assert (done.exit_code, "PyYAML" in done.output) == (1, True)


def test_bindings_are_shown_without_references():
    with hostile.Registry(BOUND).running() as registry:
        done = run("--url", registry.url, "--json", "bind")

    assert '"bound": "a:b:1.2.0"' in done.output
    assert registry.last.startswith(b"GET /api/agents/me/bindings")


@pytest.mark.parametrize("words", [["verify"], ["lock"], ["bind", "--file", "no.json"]])
def test_a_file_that_is_missing_is_wrong_usage(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    done = run(*words)

    assert (done.exit_code, "There is no" in done.output) == (2, True)


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    row = {"tool_id": "a:b:1.0.0", "provider": "a", "name": "b", "version": "1.0.0"}

    with hostile.Registry(row).running() as registry:
        done = run("--url", registry.url, "lock", "a/b", "--lock-file", str(tmp_path / "nowhere/x.lock"))

    assert (done.exit_code, "nowhere" in done.output) == (1, True), done.output
    assert isinstance(done.exception, SystemExit)


def test_a_name_that_others_offer_too_by_now_hides_nothing(tmp_path):
    locked = {"tool_id": "a:b:1.0.0", "contract_hash": "x", "description_hash": "y"}
    content = json.dumps({"lockfile_version": 1, "registry": "", "tools": {"b": locked}})
    file = write(tmp_path / "toolroster.lock", content)
    row = {"tool_id": "a:b:1.0.0", "provider": "a", "name": "b", "version": "1.0.0"}
    ambiguous = {"status": 409, "code": "reference_ambiguous", "detail": "Two providers."}

    with hostile.Registry(row).running() as registry:
        registry.by_path["/api/tools/resolve"] = (409, ambiguous)
        done = run("--url", registry.url, "verify", "--lock-file", file)

    assert (done.exit_code, "contract: a:b:1.0.0 has another contract" in done.output) == (1, True), (
        done.output
    )


@pytest.mark.parametrize("content", ["{", "[]", '{"lockfile_version": 7, "tools": {}, "registry": ""}'])
def test_a_broken_lock_file_is_told(tmp_path, content):
    file = write(tmp_path / "toolroster.lock", content)

    done = run("verify", "--lock-file", file)

    assert (done.exit_code, f"{file}:" in done.output) == (1, True)
