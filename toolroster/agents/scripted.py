"""The model of the demo: no LLM, but a script that plays the team of seeds/000 and really uses its tools."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolroster.agents.llm import Message, NativeCall, Reply, ToolChoice
from toolroster.agents.tool_calls import CLOSING, OPENING

NOTICE = (
    "(This is a scripted model, not an LLM: it follows a script and only the tools are real. "
    "Set `llm` in the configuration to ask a real one.)"
)
_TOLD_TOOL = re.compile(r"^(?:- ([^\s(]+)\(|## (\S+)\s*$)", re.MULTILINE)
_RESULT = re.compile(r'<tool_result tool="[^"]*">\n(.*?)\n</tool_result>', re.DOTALL)
_MOST_QUOTED = 160


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the script: the words it is known by, what it says in turn, and the calls it makes."""

    known_by: tuple[str, ...]
    lines: tuple[str, ...]
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()


PARTS = (
    Part(
        ("planner",),
        (
            "The bank exists only in our simulation. Hacker, how is the vault laid out?",
            "Safecracker, how long does the lock take?",
            "We have the layout and the time for the lock. Driver, when do the guards change shift?",
            "Then the plan stands: in by the back entrance, one dial after the other, out before the rounds.",
        ),
    ),
    Part(
        ("hacker", "security expert"),
        (
            "Cameras are mine: the vault has two, and they look at the corridor.",
            "The papers agree with the simulation.",
        ),
        (
            ("simulation_data", {"area": "vault"}),
            ("file_reader", {"filename": "blueprint.txt"}),
            ("file_reader", {"filename": "guard_rota.txt"}),
        ),
    ),
    Part(
        ("safecracker", "safe specialist"),
        (
            "Three dials of 100 numbers, two seconds for each try: nobody tries them all.",
            "With the first two numbers known, the last dial is a matter of minutes.",
        ),
        (
            ("calculator", {"expression": "100 * 100 * 100 * 2 / 3600"}),
            ("calculator", {"expression": "100 * 2 / 60"}),
        ),
    ),
    Part(
        ("driver", "mole", "insider"),
        (
            "I wait at the back entrance, with the engine off.",
            "Between two rounds there are 45 minutes; I leave after 40, with you or without.",
        ),
        (
            ("database_query", {"query": "SELECT name, floor FROM guards WHERE shift = 'night'"}),
            ("file_reader", {"filename": "guard_rota.txt"}),
        ),
    ),
)
_ANYBODY = Part(("",), ("I follow the plan.",))


@dataclass(slots=True)
class ScriptedModel:
    """A model without a model, for one session: the same conversation gets the same answers.

    It says first that it is none, and plays whom the system prompt is about. A call is made once, and only
    where its tool is offered; what the tool answers is quoted.
    """

    model: str = "scripted, no LLM"
    _lines: Counter[str] = field(default_factory=Counter, repr=False)
    _calls: set[tuple[str, int]] = field(default_factory=set, repr=False)
    _has_said_what_it_is: bool = field(default=False, repr=False)

    def chat(
        self,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] | None = None,
        *,
        tool_choice: ToolChoice = "auto",
    ) -> Reply:
        """Answer by the script."""
        part = _part(messages)
        result = _result_in(messages[-1]) if messages else None
        may_call = result is None and tool_choice == "auto"
        call = self._call(part, _offered(messages, tools or ())) if may_call else None
        if call is not None:
            return _calling(*call, text=self._opening(), is_native=bool(tools))
        said = self._opening() + self._line(part)
        self._has_said_what_it_is = True
        return Reply(f"{said}\nMy tool says: {_quoted(result)}" if result else said)

    def _opening(self) -> str:
        """Return the notice until it stood in an answer: what is said beside a call nobody may hear."""
        return "" if self._has_said_what_it_is else f"{NOTICE}\n"

    def _line(self, part: Part) -> str:
        place = self._lines[part.known_by[0]]
        self._lines[part.known_by[0]] += 1
        return part.lines[place % len(part.lines)]

    def _call(self, part: Part, offered: set[str]) -> tuple[str, dict[str, Any]] | None:
        for place, (tool, params) in enumerate(part.calls):
            key = part.known_by[0], place
            if tool in offered and key not in self._calls:
                self._calls.add(key)
                return tool, params
        return None


def _part(messages: Iterable[Message]) -> Part:
    """Return whose part is played: the one that the first system message names first."""
    texts = (str(one.get("content")) for one in messages if one.get("role") == "system")
    about = next(texts, "").casefold()
    places = {place: part for part in PARTS for word in part.known_by if (place := about.find(word)) >= 0}
    return places[min(places)] if places else _ANYBODY


def _offered(messages: Iterable[Message], tools: Iterable[dict[str, Any]]) -> set[str]:
    texts = [str(one.get("content")) for one in messages if one.get("role") == "system"]
    told = {line or section for text in texts for line, section in _TOLD_TOOL.findall(text)}
    return told | {str(tool["function"]["name"]) for tool in tools}


def _result_in(message: Message) -> str | None:
    """Return what the last message says of a call, None if it is about none."""
    content = str(message.get("content") or "")
    if message.get("role") == "tool":
        return content
    found = _RESULT.search(content)
    return found[1] if found else None


def _calling(tool: str, params: dict[str, Any], *, text: str, is_native: bool) -> Reply:
    if is_native:
        return Reply(text, (NativeCall(f"call_{tool}", tool, json.dumps(params)),))
    return Reply(f"{text}{OPENING}\n{json.dumps({'tool': tool, 'params': params})}\n{CLOSING}")


def _quoted(result: str) -> str:
    line = " ".join(result.split())
    return line if len(line) <= _MOST_QUOTED else f"{line[:_MOST_QUOTED]}…"
