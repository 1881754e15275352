"""Vectors and words of registrations: what search looks at."""

from django.db import models
from pgvector.django import HalfVectorField


class EmbeddingSpace(models.Model):
    """One way to make vectors; only vectors of one space are compared.

    `space_id` names model, text template and means. At most one space of a role is current, the one that
    search uses; another is built beside it and swapped in when it is complete.
    """

    class Role(models.TextChoices):
        MAIN = "main", "all languages"
        ENGLISH = "english", "English requests, beside the main one"

    role = models.CharField(max_length=7, choices=Role, default=Role.MAIN)
    space_id = models.CharField(max_length=200, unique=True)
    backend = models.CharField(max_length=40)
    model = models.CharField(max_length=200, blank=True)
    is_current = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["role"], condition=models.Q(is_current=True), name="space_one_current_of_role"
            )
        ]

    def __str__(self) -> str:
        return self.space_id


class ToolEmbedding(models.Model):
    """The vector of one registration in one space, in a narrow table of its own (SEARCH §8).

    `content_hash` is the registration's `search_hash` at the time: a row with another one is out of date.
    """

    registration = models.ForeignKey(
        "registry.ToolRegistration", on_delete=models.CASCADE, related_name="embeddings", db_index=False
    )
    space = models.ForeignKey(EmbeddingSpace, on_delete=models.CASCADE, related_name="embeddings")
    content_hash = models.CharField(max_length=64)
    vector = HalfVectorField()
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = "embedding"
        constraints = [
            models.UniqueConstraint(fields=["registration", "space"], name="embedding_once_per_space")
        ]

    def __str__(self) -> str:
        return f"{self.registration_id} in {self.space_id}"


class ToolPosting(models.Model):
    """How often one term stands in one registration's words: the inverted index of lexical search."""

    registration = models.ForeignKey(
        "registry.ToolRegistration", on_delete=models.CASCADE, related_name="postings"
    )
    term = models.TextField(db_collation="C")
    frequency = models.PositiveSmallIntegerField()

    class Meta:
        verbose_name = "posting"
        constraints = [
            models.UniqueConstraint(
                fields=["term", "registration"], include=["frequency"], name="posting_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.term} ({self.frequency})"
