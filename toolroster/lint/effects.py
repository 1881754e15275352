"""Side effects, and what a call needs: what callers read before they repeat or confirm one."""

from collections.abc import Iterator

from toolroster.lint.draft import Draft
from toolroster.lint.finding import Hit
from toolroster.lint.wording import word_set, words

LONGEST_MS = 60_000
"""Many clients and proxies give up on a call after a minute."""
_CREATING = word_set(
    "add append book charge create deploy dispatch forward insert pay post publish push register reply "
    "reserve send submit transfer upload write chuangjian fasong"
)
_REMOVING = word_set(
    "cancel clear deactivate delete drop erase kill overwrite purge remove reset revoke shanchu terminate "
    "uninstall wipe"
)
_CREATING_AT_END = word_set(
    "anlegen bestellen buchen einfuegen erstellen hinzufuegen hochladen schicken senden versenden"
)
_REMOVING_AT_END = word_set("entfernen loeschen stornieren")
_FIRST = _CREATING | _REMOVING
_LAST = _CREATING_AT_END | _REMOVING_AT_END


def contradiction(draft: Draft) -> Iterator[Hit]:
    """Find a tool that says that it changes nothing, and that it destroys."""
    capabilities = draft.definition.capabilities
    if capabilities.read_only and capabilities.destructive:
        message = "`read_only` and `destructive` are both true; a tool that only reads destroys nothing."
        fix = 'Keep the one that is true: "destructive": false for a tool that only reads.'
        yield Hit(draft.place("capabilities", "destructive"), message, fix)


def doubtful_read_only(draft: Draft) -> Iterator[Hit]:
    """Find a tool that is named after a change but says that it only reads."""
    verb = _changing_verb(draft.definition.name)
    if verb and draft.definition.capabilities.read_only:
        message = f"`{draft.definition.name}` says that it is read_only, but its name says {verb}."
        fix = 'Set "read_only": false, or rename the tool after what it reads.'
        yield Hit(draft.place("capabilities", "read_only"), message, fix)


def unstated(draft: Draft) -> Iterator[Hit]:
    """Find a tool that changes something without saying whether it destroys or can be repeated."""
    tool = draft.definition
    verb = _changing_verb(tool.name)
    unsaid = [f for f in ("destructive", "idempotent") if f not in tool.capabilities.model_fields_set]
    if verb and unsaid and not tool.capabilities.read_only:
        message = f"`{tool.name}` changes something, but {' and '.join(f'`{f}`' for f in unsaid)} is unsaid."
        likely = "true" if verb in _REMOVING | _REMOVING_AT_END else "false"
        said = ", ".join(f'"{field}": {likely}' for field in unsaid)
        fix = (
            f"Say under `capabilities` whether it destroys and whether a repeated call adds nothing: {said}?"
        )
        yield Hit(draft.place("capabilities"), message, fix)


def unguarded(draft: Draft) -> Iterator[Hit]:
    """Find a tool that destroys and is open to every caller."""
    tool = draft.definition
    if tool.capabilities.destructive and not tool.scopes:
        topic = words(tool.name)[-1]
        message = f"`{tool.name}` is destructive, and without `scopes` it is open to every caller."
        yield Hit(draft.place("scopes"), message, f'Name the scope that it needs, such as ["{topic}:write"].')


def slow(draft: Draft) -> Iterator[Hit]:
    """Find a tool that is waited for longer than most clients wait."""
    tool = draft.definition
    if tool.policy.timeout_ms > LONGEST_MS:
        seconds = tool.policy.timeout_ms / 1000
        message = f"A call may take {seconds:g} s; many clients give up after {LONGEST_MS // 1000} s."
        fix = (
            f"Answer at once with the id of a job, and offer its state as a second tool, such as "
            f"`get_{'_'.join(words(tool.name))}_status`."
        )
        yield Hit(draft.place("policy", "timeout_ms"), message, fix)


def _changing_verb(name: str) -> str | None:
    """Return the verb of a change at the beginning of a name, or at its end, where German has it."""
    spelt = words(name)
    return spelt[0] if spelt[0] in _FIRST else spelt[-1] if spelt[-1] in _LAST else None
