"""Collect changes as they are found, each with the class that a policy gives its kind."""

from typing import Any

from toolroster.compat.policy import CompatPolicy
from toolroster.compat.proof.equality import text_of
from toolroster.compat.proof.refusal import NO_VALUE
from toolroster.compat.report import Certainty, Change
from toolroster.compat.rules import RULES, classification_of


class Changes:
    """The changes of one comparison."""

    def __init__(self, policy: CompatPolicy) -> None:
        self.policy = policy
        self.found: list[Change] = []

    def add(  # noqa: PLR0913 - what can be said of a change
        self,
        kind: str,
        path: str,
        message: str,
        *,
        old: Any = NO_VALUE,
        new: Any = NO_VALUE,
        certainty: Certainty = "proven",
        renamed_to: str | None = None,
        has_default: bool = False,
    ) -> None:
        """Note a change; what was and what is now are told after the message."""
        said = f"{path}: {message}" if path else message
        if old is not NO_VALUE or new is not NO_VALUE:
            said += f" ({_told(old)} → {_told(new)})"
        self.found.append(
            Change(
                kind=kind,
                path=path,
                classification=classification_of(kind, self.policy, has_default=has_default),
                message=said + ".",
                old=old,
                new=new,
                certainty=certainty,
                review_required=RULES[kind].review_required,
                renamed_to=renamed_to,
            )
        )


def _told(value: Any) -> str:
    if value is NO_VALUE:
        return "none"
    text = value if isinstance(value, str) else text_of(value)
    return text if len(text) <= 80 else text[:79] + "…"
