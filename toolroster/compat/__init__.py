"""Whether a new version of a tool keeps the promises of an old one, and which version number it needs.

`compare` says what changed, `verdict` whether the version number carries it. `subject` reads the documents;
`tool_changes` and `schema_changes` (with `keywords`, `members`, `notes`, `drift`) name the differences,
`rules` and `policy` class them; `proof` lets nothing pass that is not proved; `witness` and `samples` show
breaks, `suggestion` finds the version.
"""

from toolroster.compat.compare import compare
from toolroster.compat.policy import CompatPolicy
from toolroster.compat.report import Change, Report
from toolroster.compat.suggestion import carries, suggested_version
from toolroster.compat.verdict import Verdict, release_below, verdict

__all__ = [
    "Change",
    "CompatPolicy",
    "Report",
    "Verdict",
    "carries",
    "compare",
    "release_below",
    "suggested_version",
    "verdict",
]
