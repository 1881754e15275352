"""What can fail in search.

Unavailable                      (toolroster.errors)
└── EmbedderUnavailable    503   no vectors can be had now; search goes by words alone
ValueError
└── BackendUnknown               a wrong setting, raised at start-up, never shown to a caller
"""

from collections.abc import Iterable

from toolroster.errors import Unavailable


class EmbedderUnavailable(Unavailable):
    """The model cannot be loaded or does not answer; callers fall back to words."""

    code = "embedder_unavailable"
    title = "No embeddings available"


class BackendUnknown(ValueError):
    """The setting names no embedding backend."""

    def __init__(self, name: str, valid: Iterable[str]) -> None:
        super().__init__(f"Unknown embedding backend {name!r}; valid are: {', '.join(valid)}.")
