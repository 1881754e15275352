"""The example requests: the largest lever on search quality (measured: three of them beat any model)."""

import re
from collections.abc import Iterator

from toolroster.lint.draft import Draft
from toolroster.lint.finding import Hit
from toolroster.lint.wording import gist, likeness, shown, words

ENOUGH = 3
"""Examples from which on more of them help little."""
TOO_LIKE = 0.8
"""Share of words in common from which on two texts say the same."""
_NOT_A_LETTER = re.compile(r"[\W_]+")


def missing(draft: Draft) -> Iterator[Hit]:
    """Find a tool without example requests."""
    if not draft.definition.examples:
        yield Hit(draft.place("examples"), "The tool has no example requests.", f"Add {_request(draft)}")


def few(draft: Draft) -> Iterator[Hit]:
    """Find a tool with one or two example requests."""
    count = len(draft.definition.examples)
    if 0 < count < ENOUGH:
        message = f"The tool has {count} of the {ENOUGH} example requests that search gains most from."
        yield Hit(draft.place("examples"), message, f"Add {_request(draft)}")


def repeating(draft: Draft) -> Iterator[Hit]:
    """Find examples that say what an earlier one says."""
    seen: list[tuple[str, frozenset[str]]] = []
    for index, example in enumerate(draft.definition.examples):
        said = gist(example)
        like = next((text for text, others in seen if likeness(said, others) >= TOO_LIKE), None)
        if like is not None:
            message = f"The example {shown(example)} says the same as {shown(like)}."
            fix = "Ask for the same in other words, or for another case that the tool handles."
            yield Hit(("examples", index), message, fix)
        seen.append((example, said))


def repeating_description(draft: Draft) -> Iterator[Hit]:
    """Find examples that are the description again, whose words search knows already."""
    description = draft.definition.description
    known, bare = gist(description), _bare(description)
    for index, example in enumerate(draft.definition.examples):
        said = gist(example)
        if said and (_bare(example) in bare or likeness(said, known) >= TOO_LIKE):
            message = f"The example {shown(example)} only repeats the description."
            fix = 'Write what a person would ask for, such as "…, please" or "I need …", with real values.'
            yield Hit(("examples", index), message, fix)


def _bare(text: str) -> str:
    return f" {_NOT_A_LETTER.sub(' ', text.casefold()).strip()} "


def _request(draft: Draft) -> str:
    return (
        f'requests in the words of those who would need `{draft.definition.name}`, such as "Can you '
        f'{" ".join(words(draft.definition.name))} … for me?", in each of their languages.'
    )
