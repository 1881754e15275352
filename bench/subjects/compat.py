"""Compatibility: the check of a schema against another one, and the comparison of whole tools."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.measure import Variant
from toolroster.compat import compare
from toolroster.compat.proof import included
from toolroster.definition import ToolDefinition

UNIT = "check"

_CASES = Path("tests/toolroster/compat/data/tool-changes.json")
_LOOPS = 20

Check = Callable[[], object]


def variants() -> list[Variant]:
    """Return the check in the middle of our cases and the mean one, and tools of 5 and 50 parameters."""
    checks = [_check(case) for case in json.loads(_CASES.read_text())["cases"]]
    middle = sorted(checks, key=_seconds)[len(checks) // 2]
    return [
        _of("the check in the middle", middle),
        _of(f"the mean of {len(checks)} checks", lambda: [check() for check in checks], len(checks)),
        _of("compare tools of 5 parameters", _comparison(5)),
        _of("compare tools of 50 parameters", _comparison(50)),
    ]


def _check(case: dict[str, Any]) -> Check:
    """Return whether the new parameters take what the old ones took."""
    old, new = (_schema(case[side]["parameters"]) for side in ("old", "new"))
    return lambda: included(old, new)


def _schema(parameters: list[dict[str, Any]]) -> dict[str, Any]:
    told = [{k: v for k, v in one.items() if k != "requiredProperties"} for one in parameters]
    return ToolDefinition.parse({"name": "t", "parameters": told}).input_schema


def _seconds(check: Check) -> float:
    def once() -> float:
        started = time.perf_counter()
        check()
        return time.perf_counter() - started

    return min(once() for _ in range(20))


def _comparison(parameters: int) -> Check:
    kinds = ("string", "integer", "boolean")
    told = [
        {"name": f"parameter_{i}", "type": kinds[i % 3], "description": f"Number {i}.", "required": not i % 3}
        for i in range(parameters)
    ]
    old = {"name": "t", "version": "1.0.0", "description": "Do something.", "parameters": told}
    new = old | {"parameters": [*told, {"name": "another", "type": "string"}]}
    return lambda: compare(old=old, new=new)


def _of(name: str, act: Check, checks: int = 1) -> Variant:
    def loop() -> None:
        for _ in range(_LOOPS):
            act()

    return Variant(name, loop, units=_LOOPS * checks)
