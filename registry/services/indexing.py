"""Keep what search looks at up to date: words in the registering transaction, vectors behind it.

Vectors are made by the worker right after the commit, and by a pass that finds every registration whose
vector is missing or out of date: a lost message delays one, never loses it.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Exists, OuterRef

from registry.models import EmbeddingSpace, ToolEmbedding, ToolPosting, ToolRegistration
from registry.models.registration import ToolRegistrationQuerySet
from registry.search import texts, vectors
from registry.search.embedders import Embedder
from registry.search.texts import SearchableText
from toolroster.definition import ToolDefinition

_POSTINGS_AT_ONCE = 5_000


def searchable(definition: ToolDefinition) -> SearchableText:
    """Return what search reads of a definition."""
    properties = definition.input_schema["properties"].items()
    return SearchableText(
        name=definition.name,
        display_name=definition.display_name,
        description=definition.description,
        parameters=tuple((name, _description(schema)) for name, schema in properties),
        categories=tuple(definition.capabilities.categories),
        tags=tuple(definition.capabilities.tags),
        examples=tuple(definition.examples),
    )


def _description(schema: object) -> str:
    said = schema.get("description") if isinstance(schema, dict) else None
    return said if isinstance(said, str) else ""


def describe(registration: ToolRegistration, definition: ToolDefinition) -> Counter[str]:
    """Set the columns that search needs, unsaved; return the terms for `index_words`."""
    text = searchable(definition)
    counts = texts.lexical_counts(text)
    registration.lexical_length = counts.total()
    registration.search_hash = texts.content_hash(text, template_version="")
    return counts


def index_words(registration: ToolRegistration, counts: Counter[str]) -> None:
    """Replace the postings of a registration; the caller holds its row lock."""
    ToolPosting.objects.filter(registration=registration).delete()
    add_postings([(registration, counts)])


def add_postings(counted: Iterable[tuple[ToolRegistration, Counter[str]]]) -> None:
    """Add the postings of registrations that have none."""
    postings = (
        ToolPosting(registration=registration, term=term, frequency=min(count, 32_767))
        for registration, counts in counted
        for term, count in sorted(counts.items())
    )
    ToolPosting.objects.bulk_create(postings, batch_size=_POSTINGS_AT_ONCE)


def outdated(space: EmbeddingSpace) -> ToolRegistrationQuerySet:
    """Keep the registrations without an up-to-date vector in a space; retired ones need none."""
    current = ToolEmbedding.objects.filter(
        space=space, registration_id=OuterRef("pk"), content_hash=OuterRef("search_hash")
    )
    unretired = ToolRegistration.objects.exclude(lifecycle=ToolRegistration.Lifecycle.RETIRED)
    return unretired.exclude(Exists(current)).order_by("pk")


def embed(
    registrations: Sequence[ToolRegistration], *, space: EmbeddingSpace, embedder: Embedder, now: datetime
) -> int:
    """Write the vectors of registrations, the same text embedded once; return how many rows.

    The model is asked outside of any transaction. A text that changed meanwhile keeps a hash that is out
    of date, and the next pass embeds it again.

    Raises:
        EmbedderUnavailable: the model cannot be had; nothing was written.
    """
    if not registrations:
        return 0
    by_hash = {registration.search_hash: registration for registration in registrations}
    wanted = [searchable(registration.definition) for registration in by_hash.values()]
    made = dict(zip(by_hash, vectors.embed_tools(embedder, wanted), strict=True))
    rows = ToolEmbedding.objects.bulk_create(
        [
            ToolEmbedding(
                registration=registration,
                space=space,
                content_hash=registration.search_hash,
                vector=made[registration.search_hash],
                created_at=now,
            )
            for registration in sorted(registrations, key=lambda row: row.pk)
        ],
        update_conflicts=True,
        unique_fields=["registration", "space"],
        update_fields=["content_hash", "vector", "created_at"],
    )
    return len(rows)
