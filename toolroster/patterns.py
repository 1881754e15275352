"""Regular expressions of strangers, matched in linear time where RE2 is installed (extra `router`).

Python's own matching takes exponential time for some expressions, and no thread can be stopped meanwhile.
"""

import importlib
import logging
import re
from functools import cache, lru_cache
from typing import Any

logger = logging.getLogger(__name__)


def matches(pattern: str, text: str) -> bool:
    """Tell whether an expression matches anywhere in a text (JSON Schema 2020-12 validation §6.3.3).

    What RE2 does not know (look-around, back references) forbids nothing: the tool checks it itself.

    Raises:
        re.error: without RE2, the expression is none.
    """
    compiled = _compiled(pattern)
    return compiled is None or compiled.search(text) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> Any:
    linear = _linear()
    if linear is None:
        return re.compile(pattern)
    options = linear.Options()
    options.log_errors = False
    try:
        return linear.compile(pattern, options=options)
    except linear.error:
        logger.warning("a pattern is left to the tool: RE2 does not know it")
        return None


@cache
def _linear() -> Any:
    try:
        return importlib.import_module("re2")
    except ImportError:
        return None
