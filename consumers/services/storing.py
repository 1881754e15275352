"""What tables take of what strangers say, and connections that nobody holds while a model thinks."""

from typing import Any

from django.db import connection

_MOST_TOKENS = 2**31 - 1


def storable(value: Any) -> Any:
    """Return a JSON value as PostgreSQL takes it: without NUL and lone surrogates in its texts."""
    if isinstance(value, str):
        return value.encode(errors="replace").decode().replace("\0", "\ufffd")
    if isinstance(value, dict):
        return {storable(name): storable(one) for name, one in value.items()}
    return [storable(one) for one in value] if isinstance(value, list | tuple) else value


def count(told: int) -> int:
    """Return a number of tokens within what a column takes: servers tell what they like."""
    return min(max(0, told), _MOST_TOKENS)


def let_go() -> None:
    """Give this thread's connection back: a model may take minutes. The next query opens another one."""
    if not connection.in_atomic_block:
        connection.close()
