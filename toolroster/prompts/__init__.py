"""What a model is told of tools: the seeds' texts, and the lists of tools that vendors' APIs take.

`formats` has the one function and its table of formats, `selection` chooses versions, `names` makes names
that are safe and unique. `seeds` writes the texts, `vendors` the lists; `strict` converts schemas for
OpenAI's strict mode and `absent` takes back what a model answers there.
"""

from toolroster.prompts.absent import without_absent
from toolroster.prompts.described import Described, Note
from toolroster.prompts.formats import FORMATS, describe
from toolroster.prompts.seeds import LANGUAGES

__all__ = ["FORMATS", "LANGUAGES", "Described", "Note", "describe", "without_absent"]
