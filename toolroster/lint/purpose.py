"""The description: what the tool does, when to use it and when not, and what it returns."""

import re
from collections.abc import Iterator

from toolroster.lint.draft import Draft
from toolroster.lint.finding import Hit
from toolroster.lint.wording import says_only, shown, weight, words

SHORTEST = 40
"""Weight (see `wording.weight`) below which a description cannot tell a tool from its neighbours."""
LONG = 1024
"""Characters; some model providers cut or refuse longer descriptions."""
TOO_LONG = 4096
"""Characters; each request of an agent pays for them (MCP clients have soft limits of 2 to 4 KiB)."""

_OCCASION = re.compile(
    r"\b(?:when|whenever|if|in case|e\.g\.|for example|for instance|useful|helpful|handy|ideal|perfect|"
    r"suited|suitable|appropriate|recommended|intended|meant|designed|best for|good for|made for|"
    r"use (?:this|it|for|to)|used (?:for|to|by|in)|use cases?|lets you|allows? you|helps?|so that|"
    r"in order to)\b"
    r"|\b(?:wenn|falls|sofern|sobald|geeignet|eignet|gedacht|dient|bestimmt|hilfreich|nützlich|sinnvoll|"
    r"z\. ?b\.|zum beispiel|verwende|verwenden|nutze|nutzen|benutze|benutzen|hilft|um zu|damit|"
    r"anwendungsfälle?|einsatz)\b"
    r"|适合|适用|用于|用来|以便|场景|如果|假如|例如|比如|方便|帮助|可用|的时候|时使用|时调用"
    r"|需要.{0,20}时|当.{1,30}时"
)
_LIMITS = re.compile(
    r"\b(?:not|cannot|only|never|except|excluding|without|unless|instead|rather than|limit(?:s|ed)?|"
    r"restricted|at most|up to|maximum|max|no longer than|requires?|unable|unsupported|neither|nor)\b|n't\b"
    r"|\b(?:nicht|keine?[mnrs]?|nur|ohne|außer|ausser|höchstens|maximal|stattdessen|statt|anstatt|"
    r"ausschließlich|lediglich|niemals|begrenzt|beschränkt|bis zu|ungeeignet)\b"
    r"|不(?!同|断|错|过|仅|但|久|少)|仅|只(?!读)|无法|无需|除外|除了|除非|最多|最大|上限|限于|限制"
    r"|而非|请勿|切勿|禁止"
)


def missing(draft: Draft) -> Iterator[Hit]:
    """Find a tool without a description."""
    if not draft.definition.description.strip():
        yield Hit(draft.place("description"), "The tool has no description.", f"Write one: {_example(draft)}")


def short(draft: Draft) -> Iterator[Hit]:
    """Find a description of a few words."""
    said = draft.definition.description
    if said.strip() and weight(said) < SHORTEST and not _repeats_name(draft):
        message = f"The description {shown(said)} is too short to tell the tool from others."
        yield Hit(draft.place("description"), message, f"Say more: {_example(draft)}")


def repeats_name(draft: Draft) -> Iterator[Hit]:
    """Find a description that has no word that is not in the name."""
    if _repeats_name(draft):
        message = f"The description {shown(draft.definition.description)} only repeats the name."
        yield Hit(draft.place("description"), message, f"Say what the name does not: {_example(draft)}")


def long(draft: Draft) -> Iterator[Hit]:
    """Find a description that some model providers cut."""
    if LONG < len(draft.definition.description) <= TOO_LONG:
        yield _too_long(draft, f"over {LONG}, where some model providers cut it")


def too_long(draft: Draft) -> Iterator[Hit]:
    """Find a description that costs every request more than it can be worth."""
    if len(draft.definition.description) > TOO_LONG:
        yield _too_long(draft, f"over {TOO_LONG}, and every request of an agent pays for them")


def no_occasion(draft: Draft) -> Iterator[Hit]:
    """Find a description without a word on when to use the tool."""
    if draft.definition.description.strip() and not _OCCASION.search(draft.definition.description.lower()):
        message = "The description does not say when to use the tool."
        fix = f'Add a sentence such as "Use it when … needs to {_task(draft)}."'
        yield Hit(draft.place("description"), message, fix)


def no_limits(draft: Draft) -> Iterator[Hit]:
    """Find a description without a word on what the tool cannot do."""
    if draft.definition.description.strip() and not _LIMITS.search(draft.definition.description.lower()):
        message = "The description does not say what the tool cannot do, or when not to use it."
        fix = 'Add a sentence such as "Not for …; use `…` for that." or "Only …, at most …."'
        yield Hit(draft.place("description"), message, fix)


def returns_unsaid(draft: Draft) -> Iterator[Hit]:
    """Find a tool that says nowhere in a field of its own what it returns."""
    if not draft.definition.returns.strip() and not draft.definition.output_schema:
        fix = (
            f'Add "returns": "…" with what a call of `{draft.definition.name}` gives back, and what '
            "when there is nothing; or an `output_schema`, which callers can check."
        )
        yield Hit(draft.place("returns"), "Neither `returns` nor `output_schema` says what comes back.", fix)


def _repeats_name(draft: Draft) -> bool:
    tool = draft.definition
    return says_only(tool.description, tool.name, tool.display_name)


def _too_long(draft: Draft, why: str) -> Hit:
    length = len(draft.definition.description)
    fix = (
        "Keep what tells when to choose the tool; move the rest into the descriptions of its parameters, "
        "`returns` and `examples`."
    )
    return Hit(draft.place("description"), f"The description has {length} characters, {why}.", fix)


def _task(draft: Draft) -> str:
    return " ".join(words(draft.definition.name))


def _example(draft: Draft) -> str:
    """Return a description to fill in, made of the name and the required parameters."""
    needed = [f"`{parameter.name[:40]}`" for parameter in draft.definition.parameters if parameter.required]
    needs = f" Needs {', '.join(needed[:3])}." if needed else ""
    return f'"{_task(draft).capitalize()} … .{needs} Use it when …; not for … . Returns … ."'
