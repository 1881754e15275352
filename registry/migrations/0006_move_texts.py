"""Texts of search: what is registered gets its text and words, and keeps the vectors that it has."""

from collections.abc import Sequence
from itertools import islice
from typing import Any

import orjson
from django.db import migrations

from registry.search import texts
from registry.services.indexing import searchable
from toolroster.definition import ToolDefinition

_AT_ONCE = 500

# One vector for each text and space; those that were out of date are made anew by the next pass.
_MOVE_VECTORS = """
UPDATE registry_toolembedding moved SET text_id = found.text_id FROM (
    SELECT DISTINCT ON (registration.search_text_id, embedding.space_id)
        embedding.id, registration.search_text_id AS text_id
    FROM registry_toolembedding embedding JOIN registry_toolregistration registration
        ON registration.id = embedding.registration_id AND registration.search_hash = embedding.content_hash
    ORDER BY registration.search_text_id, embedding.space_id, embedding.id
) found WHERE moved.id = found.id
"""
_DROP_THE_REST = "DELETE FROM registry_toolembedding WHERE text_id IS NULL"


def move(apps: Any, schema_editor: Any) -> None:
    """Go through all registrations, some at a time."""
    rows = apps.get_model("registry", "ToolRegistration").objects.order_by("pk").iterator(chunk_size=_AT_ONCE)
    while some := list(islice(rows, _AT_ONCE)):
        _give_texts(apps, some)
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(_MOVE_VECTORS)
        cursor.execute(_DROP_THE_REST)


def _give_texts(apps: Any, rows: Sequence[Any]) -> None:
    text_model, posting = apps.get_model("registry", "SearchText"), apps.get_model("registry", "ToolPosting")
    contents = [searchable(ToolDefinition.parse(orjson.loads(row.document_text))) for row in rows]
    hashes = [texts.words_hash(content) for content in contents]
    known = dict(text_model.objects.filter(words_hash__in=hashes).values_list("words_hash", "pk"))
    for key, content in dict(zip(hashes, contents, strict=True)).items():
        if key not in known:
            counts = texts.lexical_counts(content)
            known[key] = text_model.objects.create(words_hash=key, length=counts.total()).pk
            posting.objects.bulk_create(
                posting(text_id=known[key], term=term, frequency=min(count, 32_767), length=counts.total())
                for term, count in counts.items()
            )
    for row, key in zip(rows, hashes, strict=True):
        row.search_text_id = known[key]
    apps.get_model("registry", "ToolRegistration").objects.bulk_update(rows, ["search_text"])


class Migration(migrations.Migration):
    dependencies = [("registry", "0005_texts")]

    operations = [migrations.RunPython(move)]
