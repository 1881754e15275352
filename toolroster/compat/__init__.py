"""Whether a new version of a tool keeps the promises of an old one, and which version number it needs.

`compare` is the one call. `subject` reads the documents; `tool_changes` and `schema_changes` (with
`keywords`, `members`, `notes`, `drift`) name the differences, `rules` and `policy` class them; `proof` lets
nothing pass that is not proved; `witness` and `samples` show breaks, `suggestion` finds the version.
"""

from toolroster.compat.compare import compare
from toolroster.compat.policy import CompatPolicy
from toolroster.compat.report import Change, Report
from toolroster.compat.suggestion import suggested_version

__all__ = ["Change", "CompatPolicy", "Report", "compare", "suggested_version"]
