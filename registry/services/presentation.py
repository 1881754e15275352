"""Revisions of a registration's words: added, never changed; one approved, one pending."""

from datetime import datetime

from registry.models import ToolPresentation, ToolRegistration
from toolroster.words import PresentationWords


def add(
    registration: ToolRegistration, words: PresentationWords, *, now: datetime, is_first: bool = False
) -> ToolPresentation:
    """Add a revision; the caller holds the registration's row lock and sets its pointers."""
    newest = None if is_first else registration.presentations.order_by("-revision").first()
    return ToolPresentation.objects.create(
        registration=registration,
        revision=newest.revision + 1 if newest else 1,
        created_at=now,
        **words.as_json(),
    )


def words_of(revision: ToolPresentation) -> PresentationWords:
    """Return the words of a revision."""
    return PresentationWords(
        display_name=revision.display_name,
        description=revision.description,
        returns=revision.returns,
        examples=tuple(revision.examples),
        tags=tuple(revision.tags),
        parameter_descriptions=revision.parameter_descriptions,
    )
