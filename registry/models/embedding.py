"""Texts of registrations, their vectors and their words: what search looks at."""

from typing import TYPE_CHECKING, Any

import numpy as np
from django.db import models
from django.db.models import Func
from numpy.typing import NDArray
from pgvector.django import HalfVectorField

if TYPE_CHECKING:
    from django_stubs_ext.db.models.manager import RelatedManager

    from registry.models.registration import ToolRegistration


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
    made_means = models.BinaryField(null=True)
    """What vectors are centred with (`search.means`), None where that is shipped."""
    revision = models.PositiveIntegerField(default=0)
    """Counted up where vectors that were there have been made anew: processes hold them in memory."""
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["role"], condition=models.Q(is_current=True), name="space_one_current_of_role"
            )
        ]

    def __str__(self) -> str:
        return self.space_id


class SearchText(models.Model):
    """What search reads of a registration, once, however many versions and providers say the same.

    It never changes: a registration with new words points at another text. `words_hash` names all of it;
    `length` is its number of terms, repetitions included.
    """

    words_hash = models.CharField(max_length=64, unique=True, db_collation="C")
    length = models.PositiveIntegerField()

    if TYPE_CHECKING:
        registrations: RelatedManager["ToolRegistration"]
        embeddings: RelatedManager["ToolEmbedding"]
        postings: RelatedManager["ToolPosting"]

    class Meta:
        verbose_name = "text"

    def __str__(self) -> str:
        return f"text {self.pk}"


class ToolEmbeddingQuerySet(models.QuerySet["ToolEmbedding"]):
    """Rows, and their vectors as arrays."""

    def arrays(self, key: str) -> dict[Any, NDArray[np.float32]]:
        """Return the vectors, shape (d,), by a column; sent as bytes: to read one as text takes 40 µs."""
        rows = self.values_list(
            key, Func("vector", function="halfvec_send", output_field=models.BinaryField())
        )
        return {name: np.frombuffer(sent, dtype=">f2", offset=4).astype(np.float32) for name, sent in rows}


class ToolEmbedding(models.Model):
    """The vector of one text in one space, in a narrow table of its own (SEARCH §8).

    `content_hash` names the part of the text that the vector is made of: texts that differ in their
    parameters alone have the same vector, which is made once.
    """

    text = models.ForeignKey(SearchText, on_delete=models.CASCADE, related_name="embeddings", db_index=False)
    space = models.ForeignKey(
        EmbeddingSpace, on_delete=models.CASCADE, related_name="embeddings", db_index=False
    )
    content_hash = models.CharField(max_length=64, db_collation="C")
    vector = HalfVectorField()
    created_at = models.DateTimeField()

    objects = ToolEmbeddingQuerySet.as_manager()

    class Meta:
        verbose_name = "embedding"
        constraints = [models.UniqueConstraint(fields=["text", "space"], name="embedding_once_per_space")]
        indexes = [models.Index(fields=["space", "content_hash"], name="embedding_by_content")]

    def __str__(self) -> str:
        return f"text {self.text_id} in {self.space_id}"


class ToolPosting(models.Model):
    """How often one term stands in one text: the inverted index of lexical search.

    `length` is the text's, repeated: a search then reads nothing but the index.
    """

    text = models.ForeignKey(SearchText, on_delete=models.CASCADE, related_name="postings")
    term = models.TextField(db_collation="C")
    frequency = models.PositiveSmallIntegerField()
    length = models.PositiveIntegerField()

    class Meta:
        verbose_name = "posting"
        constraints = [
            models.UniqueConstraint(
                fields=["term", "text"], include=["frequency", "length"], name="posting_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.term} ({self.frequency})"
