"""Revisions of a registration's words: added, never changed; one approved, one pending."""

from datetime import datetime

from registry.models import ToolPresentation, ToolRegistration
from toolroster.words import PresentationWords


def add(registration: ToolRegistration, words: PresentationWords, *, now: datetime) -> ToolPresentation:
    """Add a revision; the caller holds the registration's row lock and sets its pointers."""
    newest = registration.presentations.order_by("-revision").first()
    revision = first(registration, words, now=now)
    revision.revision = newest.revision + 1 if newest else 1
    revision.save()
    return revision


def first(registration: ToolRegistration, words: PresentationWords, *, now: datetime) -> ToolPresentation:
    """Return the first revision of a registration, unsaved."""
    return ToolPresentation(registration=registration, revision=1, created_at=now, **words.as_json())


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
