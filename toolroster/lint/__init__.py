"""Explain what to mend in a registration document before it is published, and how.

`lint` applies `RULES` to a document. Each rule is a function of a `Draft` in the module of its subject:
`purpose`, `parameters`, `examples`, `names`, `effects`, `labels`, `hidden`, `markup` and `instructions`
(whose wording is in `phrases`). Prose is never refused: what it finds there is a warning or advice.
"""

from toolroster.lint.finding import LEVELS, Finding, Level, Rule
from toolroster.lint.linting import lint
from toolroster.lint.rules import RULES

__all__ = ["LEVELS", "RULES", "Finding", "Level", "Rule", "lint"]
