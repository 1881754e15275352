"""Categories and tags: how people browse, and what word search adds to the description."""

from collections.abc import Iterator

from toolroster.lint.draft import Draft
from toolroster.lint.finding import Hit
from toolroster.lint.wording import words


def no_categories(draft: Draft) -> Iterator[Hit]:
    """Find a tool that stands in no category."""
    if not draft.definition.capabilities.categories:
        fix = 'Add "categories": ["…"] under `capabilities`, one that tools of the same kind have already.'
        yield Hit(draft.place("capabilities", "categories"), "The tool is in no category.", fix)


def no_tags(draft: Draft) -> Iterator[Hit]:
    """Find a tool without tags."""
    if not draft.definition.capabilities.tags:
        likely = ", ".join(f'"{word}"' for word in words(draft.definition.name)[-2:])
        fix = f'Add "tags": [{likely}, …] under `capabilities`, with other words for the same thing.'
        yield Hit(draft.place("capabilities", "tags"), "The tool has no tags.", fix)
