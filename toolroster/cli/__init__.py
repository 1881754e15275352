"""The command line: `toolroster`.

`main` has the group and its way with errors, `session` who asks which registry, `tables` the output for
people, `sources` what commands read. `finding`, `describing`, `providing`, `checking` (with `reports`),
`locking` and `calling` have the commands.
"""

from toolroster.cli.main import main

__all__ = ["main"]
