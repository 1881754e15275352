"""`python -m bench`: measure, print, and write the result; see docs/benchmarks."""

import argparse
import gc
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from importlib import import_module
from pathlib import Path

from bench import growth, report, server
from bench.measure import Backend, NoBackend, run
from bench.report import Subject

_WITH_DATABASE = ("heartbeat", "resolve", "sweep", "register", "list", "token", "search")
_ALONE = ("semver", "definition", "compat", "library")
_QUALITY = "quality"
_WEB = "web"
_GROWTH = "growth"
_FIND = "find"
_CALLS = "calls"


def main() -> int:
    """Measure the subjects that were asked for; return the exit code."""
    asked = _arguments()
    if len(asked.names) == 1 and asked.names[0] in _BY_THEMSELVES:
        return _BY_THEMSELVES[asked.names[0]](asked)
    names = asked.names or [*_WITH_DATABASE, *_ALONE]
    about = server.machine() | {"rows": 0, "rounds": asked.rounds, "date": time.strftime("%Y-%m-%d")}
    needs_database = any(name in _WITH_DATABASE for name in names)
    with server.started() if needs_database else nullcontext(NoBackend()) as backend:
        if needs_database:
            about["rows"] = _load(asked.rows, asked.versions)
        subjects = [_measure(name, backend=backend, rounds=asked.rounds) for name in names]
    report.write(asked.output, subjects, run=about)
    _say(f"written to {asked.output}/bench.json and {asked.output}/bench.md")
    return 0


def _arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure, as ratios in one run.")
    known = (*_WITH_DATABASE, *_ALONE)
    alone = f"{_QUALITY} (of search), {_WEB}, {_FIND} and {_CALLS} (over HTTP), {_GROWTH} (to --rows)"
    told = f"{', '.join(known)}; alone: {alone}"
    parser.add_argument("names", nargs="*", metavar="name", help=told)
    parser.add_argument("--rows", type=int, default=20_000, help="registrations to load, at least 500")
    parser.add_argument("--versions", type=int, default=50, help="of each tool, at most 50")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--clients", type=int, default=16, help="how many put it at once")
    parser.add_argument("--seconds", type=int, default=60, help="how long `web` puts its load")
    parser.add_argument("--output", type=Path, default=Path("build/bench"), help="folder of the result")
    asked = parser.parse_args(given)
    if asked.names not in [[name] for name in _BY_THEMSELVES] and (unknown := set(asked.names) - {*known}):
        parser.error(f"no benchmark is called {', '.join(sorted(unknown))}")
    return asked


def _measure_quality(asked: argparse.Namespace) -> int:
    server.set_up_django()
    from bench import quality  # noqa: PLC0415 - needs Django's settings

    quality.write(asked.output, say=_say)
    _say(f"written to {asked.output}/search.md and plots beside it")
    return 0


def _measure_web(asked: argparse.Namespace) -> int:
    with server.started():
        _load(asked.rows, asked.versions)
        from bench.web import run  # noqa: PLC0415 - needs Django's settings

        run.measure(
            rounds=asked.rounds,
            output=asked.output,
            clients=asked.clients,
            seconds=asked.seconds,
            say=_say,
        )
    return 0


def _measure_find(asked: argparse.Namespace) -> int:
    with server.started():
        _load(asked.rows, 1)
        from bench.web import searching  # noqa: PLC0415 - needs Django's settings

        searching.measure(output=asked.output, say=_say)
    return 0


def _measure_calls(asked: argparse.Namespace) -> int:
    with server.started():
        from bench.web import calling  # noqa: PLC0415 - needs Django's settings

        calling.measure(rounds=asked.rounds, output=asked.output, say=_say)
    return 0


def _measure_growth(asked: argparse.Namespace) -> int:
    growth.measure(rows=asked.rows, rounds=asked.rounds, output=asked.output, say=_say)
    return 0


_BY_THEMSELVES: dict[str, Callable[[argparse.Namespace], int]] = {
    _QUALITY: _measure_quality,
    _WEB: _measure_web,
    _FIND: _measure_find,
    _CALLS: _measure_calls,
    _GROWTH: _measure_growth,
}


def _load(rows: int, versions: int) -> int:
    from bench import data, documents  # noqa: PLC0415 - its models need Django's settings

    begun = time.perf_counter()
    loaded = data.load(rows, versions=documents.VERSIONS[:versions])
    _say(f"loaded {loaded:,} registrations in {time.perf_counter() - begun:.0f} s")
    return loaded


def _measure(name: str, *, backend: Backend, rounds: int) -> Subject:
    _say(name)
    subject = import_module(f"bench.subjects.{name}")
    gc.collect()
    gc.freeze()  # as a web process does once it has loaded everything
    measured = run(subject.variants(), rounds=rounds, backend=backend, say=_say)
    facts = subject.facts() if hasattr(subject, "facts") else {}
    found = Subject(name, subject.UNIT, measured, facts)
    _say(f"\n{report.markdown(found)}\n")
    return found


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
