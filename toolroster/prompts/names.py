"""Give tools names that a vendor takes, each once: a published name is never unsafe, two may be the same.

An alias depends on which tools are in the list, never on their order, so that a prompt can be cached.
"""

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

Key = tuple[str, str]
"""Provider and name of a tool."""

_HASH_CHARS = 8


@dataclass(frozen=True, slots=True)
class NameRule:
    """What a vendor takes as the name of a tool.

    `first` are the characters it may begin with, `others` the ones that may follow, as in a regular
    expression's brackets; `most` is the longest length.
    """

    first: str
    others: str
    most: int

    def allows(self, name: str) -> bool:
        pattern = f"[{self.first}][{self.others}]{{0,{self.most - 1}}}"
        return re.fullmatch(pattern, name) is not None

    def safe(self, name: str) -> str:
        """Return the name with "_" for what is forbidden, and before what it may not begin with."""
        text = re.sub(f"[^{self.others}]", "_", name)
        return text if re.match(f"[{self.first}]", text) else f"_{text}"


def exported_names(tools: Iterable[Key], rule: NameRule) -> dict[Key, str]:
    """Return a name for each tool: its own, else `provider__name`, else that cut, with a hash.

    A form is given where it is safe, and no other tool has it or would get it.
    """
    names: dict[Key, str] = {}
    pending = sorted(set(tools))
    forms = _forms(rule)
    while pending:
        form = next(forms)
        proposed = {tool: name for tool in pending if rule.allows(name := form(tool))}
        counts, taken = Counter(proposed.values()), set(names.values())
        names |= {tool: n for tool, n in proposed.items() if counts[n] == 1 and n not in taken}
        pending = [tool for tool in pending if tool not in names]
    return names


def _forms(rule: NameRule) -> Iterator[Callable[[Key], str]]:
    """Yield the forms of a name, best first; they never end, as hashes too may be published as names."""
    yield lambda tool: tool[1]
    yield lambda tool: rule.safe("__".join(tool))
    for attempt in itertools.count():
        yield partial(_hashed, rule, attempt)


def _hashed(rule: NameRule, attempt: int, tool: Key) -> str:
    salt = f"/{attempt}" if attempt else ""
    digest = hashlib.sha256(f"{'/'.join(tool)}{salt}".encode()).hexdigest()[:_HASH_CHARS]
    return f"{rule.safe('__'.join(tool))[: rule.most - _HASH_CHARS - 1]}_{digest}"
