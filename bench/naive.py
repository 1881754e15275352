"""The design that most registries have, to compare with: one wide table, an ORM call a row.

Document, status and last heartbeat stand in one row with an index on the heartbeat; a list makes a query
more for each row (N+1).
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import connection, models
from rest_framework import serializers
from rest_framework.renderers import JSONRenderer

from registry.models import Provider


class NaiveTool(models.Model):
    """All that is known of one version of a tool."""

    provider = models.ForeignKey(Provider, on_delete=models.CASCADE, related_name="+")
    tool_id = models.CharField(max_length=400, unique=True)
    name = models.CharField(max_length=64, db_index=True)
    version = models.CharField(max_length=256)
    document = models.JSONField()
    tags = ArrayField(models.TextField(), default=list)
    status = models.CharField(max_length=20, default="ACTIVE", db_index=True)
    last_heartbeat_at = models.DateTimeField(db_index=True)

    objects: models.Manager["NaiveTool"] = models.Manager()

    class Meta:
        app_label = "bench"
        indexes = [GinIndex(fields=["tags"], name="naive_tags")]

    def __str__(self) -> str:
        return self.tool_id


class NaiveSerializer(serializers.ModelSerializer[NaiveTool]):
    """Every field, and the provider's name by a query of its own."""

    provider = serializers.CharField(source="provider.name")

    class Meta:
        model = NaiveTool
        fields = ["provider", "tool_id", "name", "version", "document", "tags", "status", "last_heartbeat_at"]


def create_table() -> None:
    """Make the table: there is no migration of it."""
    with connection.schema_editor() as editor:
        editor.create_model(NaiveTool)


def beat(tool_ids: Iterable[str], *, now: datetime) -> None:
    """Get and save each tool."""
    for tool_id in tool_ids:
        tool = NaiveTool.objects.get(tool_id=tool_id)
        tool.last_heartbeat_at = now
        tool.status = "ACTIVE"
        tool.save()


def sweep(*, cutoff: datetime) -> int:
    """Save each tool that missed its heartbeats."""
    stale = list(NaiveTool.objects.filter(status="ACTIVE", last_heartbeat_at__lte=cutoff))
    for tool in stale:
        tool.status = "UNAVAILABLE"
        tool.save()
    return len(stale)


def register(documents: Sequence[dict[str, Any]], *, provider: Provider, now: datetime) -> None:
    """Write each document as one row; nothing is checked."""
    for document in documents:
        NaiveTool.objects.update_or_create(
            tool_id=f"{document['provider']}:{document['name']}:{document['version']}",
            defaults={
                "provider": provider,
                "name": document["name"],
                "version": document["version"],
                "document": document,
                "tags": document["capabilities"]["tags"],
                "last_heartbeat_at": now,
            },
        )


def listing(limit: int) -> bytes:
    """Return one page as JSON."""
    rows = NaiveTool.objects.filter(status="ACTIVE").order_by("tool_id")[:limit]
    rendered: bytes = JSONRenderer().render(NaiveSerializer(rows, many=True).data)
    return rendered
