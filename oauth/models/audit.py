"""Who changed access, and who failed at the door: append-only."""

from django.db import models


class AccessEvent(models.Model):
    """One fact about a client, a person or a namespace. A trigger refuses changes and deletions.

    `subject` is whom it is about (a client id, a user name, a provider), `actor` who did it (`person:ann`,
    `command:grant_scope`; empty where nobody had shown who they are). `data` holds no secret and no token.
    """

    class Kind(models.TextChoices):
        CLIENT_CREATED = "client:created"
        CLIENT_CHANGED = "client:changed"
        SECRET_ROTATED = "client:secret:rotated"  # noqa: S105 - a word
        TOKENS_ENDED = "client:tokens:ended"
        SCOPES_GRANTED = "client:scopes:granted"
        SCOPES_WITHDRAWN = "client:scopes:withdrawn"
        CODE_REPLAYED = "client:code:replayed"
        CLIENT_FAILED = "client:attempt:failed"
        CLIENT_BLOCKED = "client:attempt:blocked"
        PERSON_FAILED = "person:attempt:failed"
        PERSON_BLOCKED = "person:attempt:blocked"
        PERSON_ADDED = "person:added"
        PERSON_CHANGED = "person:changed"
        OWNER_ADDED = "provider:owner:added"
        OWNER_REMOVED = "provider:owner:removed"

    kind = models.CharField(max_length=40, choices=Kind)
    subject = models.CharField(max_length=255, db_collation="C")
    actor = models.CharField(max_length=255, blank=True, db_collation="C")
    occurred_at = models.DateTimeField()
    data = models.JSONField(default=dict)

    class Meta:
        verbose_name = "access event"
        indexes = [models.Index(fields=["subject", "-id"], name="access_event_of_subject")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
