"""What agents remember: what they said, turn by turn, and summaries of what is older."""

from django.conf import settings
from django.db import models

from consumers.models.ownership import own
from oauth.principal import Principal


class AgentMemoryQuerySet(models.QuerySet["AgentMemory"]):
    """Filters over memories."""

    def of(self, principal: Principal) -> "AgentMemoryQuerySet":
        """Keep the principal's own: an agent remembers nothing of others, whoever they are."""
        return self.filter(own(principal))


class AgentMemory(models.Model):
    """What one agent said in one turn of a session. Never changed: what replaces it is another row."""

    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="agent_memories",
    )
    user_id = models.BigIntegerField(null=True, blank=True)
    session_id = models.CharField(max_length=200, db_collation="C")
    agent_id = models.CharField(max_length=255, db_collation="C")
    turn_id = models.PositiveIntegerField()
    message = models.TextField(blank=True)
    stored_at = models.DateTimeField()

    objects = AgentMemoryQuerySet.as_manager()

    class Meta:
        verbose_name = "memory"
        verbose_name_plural = "memories"
        constraints = [
            models.UniqueConstraint(
                fields=["session_id", "agent_id", "turn_id", "application", "user_id"],
                nulls_distinct=False,
                name="memory_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} in turn {self.turn_id} of {self.session_id}"


class MemorySummary(models.Model):
    """The summary of what is older, as one application read it last.

    It is of `count` memories, `last_id` the highest of their ids: both are the same only for the same rows.
    """

    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
    user_id = models.BigIntegerField(null=True, blank=True)
    session_id = models.CharField(max_length=200, db_collation="C")
    agent_id = models.CharField(max_length=255, db_collation="C")
    last_id = models.BigIntegerField()
    count = models.PositiveIntegerField()
    summary = models.TextField()
    made_at = models.DateTimeField()

    class Meta:
        verbose_name = "summary of memories"
        verbose_name_plural = "summaries of memories"
        constraints = [
            models.UniqueConstraint(
                fields=["application", "user_id", "session_id", "agent_id"],
                nulls_distinct=False,
                name="summary_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.agent_id} in {self.session_id}"
