"""Keep what search looks at up to date: texts and words in the registering transaction, vectors behind it.

Vectors are made by the worker right after the commit, and by a pass that finds every text whose vector is
missing: a lost message delays one, never loses it. A version that says what another one says has its text,
and with that its vector, at once.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, connection, transaction
from django.db.models import Exists, OuterRef, QuerySet

from registry.models import EmbeddingSpace, SearchText, ToolEmbedding, ToolPosting, ToolRegistration
from registry.search import texts, vectors
from registry.search.embedders import Matrix
from registry.search.finding import Space
from registry.search.texts import SearchableText
from registry.services import generations
from toolroster.definition import ToolDefinition

_POSTINGS_AT_ONCE = 5_000
_TEXTS_AT_ONCE = 1_000

# The lock holds until the transaction ends, so that `drop_unused` leaves what is about to be used.
_HOLD = """
SELECT words_hash, id FROM registry_searchtext WHERE words_hash = ANY(%s) ORDER BY words_hash FOR KEY SHARE
"""
_ADD = """
INSERT INTO registry_searchtext (words_hash, length) SELECT * FROM unnest(%s::text[], %s::int[])
ON CONFLICT DO NOTHING RETURNING words_hash, id
"""


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


def attach(described: Collection[tuple[ToolRegistration, ToolDefinition]]) -> None:
    """Point registrations, unsaved, at the texts of their definitions; texts that are new get their words.

    Texts are written in the order of their hashes: two batches that share some wait for each other in turn.
    """
    contents = [searchable(definition) for _, definition in described]
    hashes = [texts.words_hash(content) for content in contents]
    wanted = dict(sorted(zip(hashes, contents, strict=True)))
    known = _hold(wanted)
    if new := {key: content for key, content in wanted.items() if key not in known}:
        known |= _add(new)
        known |= _hold(wanted.keys() - known.keys())  # those that others have added meanwhile
    for (registration, _), key in zip(described, hashes, strict=True):
        registration.search_text_id = known[key]


def _hold(hashes: Collection[str]) -> dict[str, int]:
    if not hashes:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_HOLD, [list(hashes)])
        return dict(cursor.fetchall())


def _add(new: Mapping[str, SearchableText]) -> dict[str, int]:
    """Add texts with their postings; return the ids of those that were really new."""
    counts = {key: texts.lexical_counts(text) for key, text in new.items()}
    lengths = {key: count.total() for key, count in counts.items()}
    with connection.cursor() as cursor:
        cursor.execute(_ADD, [list(lengths), list(lengths.values())])
        added: dict[str, int] = dict(cursor.fetchall())
    postings = (
        ToolPosting(text_id=pk, term=term, frequency=min(count, 32_767), length=lengths[key])
        for key, pk in added.items()
        for term, count in sorted(counts[key].items())
    )
    ToolPosting.objects.bulk_create(postings, batch_size=_POSTINGS_AT_ONCE)
    return added


def waiting(space: EmbeddingSpace) -> "QuerySet[SearchText]":
    """Return the texts without a vector in a space; those of retired versions alone need none."""
    known = ToolEmbedding.objects.filter(space=space, text_id=OuterRef("pk"))
    return in_use().exclude(Exists(known))


def in_use() -> "QuerySet[SearchText]":
    """Return the texts of versions that are not retired, by their ids."""
    unretired = ToolRegistration.objects.exclude(lifecycle=ToolRegistration.Lifecycle.RETIRED)
    return SearchText.objects.filter(Exists(unretired.filter(search_text_id=OuterRef("pk")))).order_by("pk")


def embed(wanted: Sequence[SearchText], *, space: Space, now: datetime, is_anew: bool = False) -> int:
    """Write the vectors of texts; return how many.

    What has the content of another text gets its vector without asking the model, unless `is_anew`. The model
    is asked outside of any transaction.

    Raises:
        EmbedderUnavailable: the model cannot be had; nothing was written.
    """
    contents = _contents(wanted)
    hashes = {pk: texts.content_hash(content, template_version="") for pk, content in contents.items()}
    made = {} if is_anew else _vectors_known(set(hashes.values()), space.row)
    missing = {hashes[pk]: content for pk, content in contents.items() if hashes[pk] not in made}
    if missing:
        new = vectors.embed_tools(space.embedder, list(missing.values()), space.means)
        made |= dict(zip(missing, new, strict=True))
    return _write_vectors(
        [
            ToolEmbedding(text_id=pk, space=space.row, content_hash=key, vector=made[key], created_at=now)
            for pk, key in sorted(hashes.items())
        ]
    )


@transaction.atomic
def _write_vectors(rows: Sequence[ToolEmbedding]) -> int:
    """Write vectors of the texts that are there still (`drop_unused`); return how many."""
    texts_there = SearchText.objects.filter(pk__in=[row.text_id for row in rows]).order_by("pk")
    held = set(texts_there.select_for_update(no_key=True).values_list("pk", flat=True))
    written = ToolEmbedding.objects.bulk_create(
        [row for row in rows if row.text_id in held],
        update_conflicts=True,
        unique_fields=["text", "space"],
        update_fields=["content_hash", "vector", "created_at"],
    )
    said_by = ToolRegistration.objects.filter(search_text__in=held).values_list("categories", flat=True)
    generations.replace_on_commit(label for labels in said_by for label in labels)  # searches find more now
    return len(written)


def _contents(wanted: Iterable[SearchText]) -> dict[int, SearchableText]:
    """Return what each text says, as one of its registrations has it."""
    one_each = ToolRegistration.objects.filter(search_text__in=wanted).order_by("search_text", "pk")
    rows = one_each.distinct("search_text")
    return {row.search_text_id: searchable(row.definition) for row in rows}


def _vectors_known(hashes: Collection[str], space: EmbeddingSpace) -> dict[str, Matrix]:
    rows = ToolEmbedding.objects.filter(space=space, content_hash__in=hashes)
    return rows.order_by("content_hash").distinct("content_hash").arrays("content_hash")


def drop_unused() -> int:
    """Delete texts that no registration has any more, with words and vectors; return how many.

    One that a registration is about to take is locked by it (`attach`) and stays.
    """
    dropped = 0
    while number := _drop_some():
        dropped += number
    return dropped


def _drop_some() -> int:
    unused = SearchText.objects.filter(registrations=None).order_by("pk")
    try:
        with transaction.atomic():
            held = unused.select_for_update(of=("self",), skip_locked=True)[:_TEXTS_AT_ONCE]
            ids = list(held.values_list("pk", flat=True))
            SearchText.objects.filter(pk__in=ids).delete()
    except IntegrityError:  # taken between the look and the lock: the next pass sees that
        return 0
    return len(ids)
