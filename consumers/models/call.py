"""Calls: a row for each, in partitions of a day, and sums by the hour that outlive them."""

from django.db import models


class CallOutcome(models.TextChoices):
    """How a call ended; see `toolroster.routing.calls.CallOutcome`. REPORTED: the agent called itself."""

    OK = "OK"
    REFUSED = "REFUSED"
    PENDING = "PENDING"
    UNAVAILABLE = "UNAVAILABLE"
    REJECTED = "REJECTED"
    FAILED = "FAILED"
    TIMED_OUT = "TIMED_OUT"
    CANCELLED = "CANCELLED"
    REPORTED = "REPORTED"


class ToolCall(models.Model):
    """One call through the router. A row is written once, never changed, and goes with its day.

    Names, not foreign keys: what happened stays said, whatever becomes of tools and agents. The table is
    partitioned by `called_at` (`services.partitions`), so its primary key in the database is both columns.
    `params` are there only where settings allow values, without what a schema marks `x-sensitive`.
    """

    call_id = models.UUIDField(primary_key=True)
    called_at = models.DateTimeField()
    application_id = models.BigIntegerField(null=True)
    user_id = models.BigIntegerField(null=True)
    agent = models.CharField(max_length=255, blank=True)
    session_id = models.CharField(max_length=200, blank=True)
    ref = models.CharField(max_length=1400)
    tool_id_asked = models.CharField(max_length=400, blank=True, db_collation="C")
    tool_id = models.CharField(max_length=400, blank=True, db_collation="C")
    instance = models.CharField(max_length=2000, blank=True)
    outcome = models.CharField(max_length=12, choices=CallOutcome)
    error_code = models.CharField(max_length=80, blank=True)
    why = models.CharField(max_length=1000, blank=True)
    attempts = models.PositiveSmallIntegerField()
    duration_ms = models.FloatField()
    request_bytes = models.PositiveBigIntegerField()
    response_bytes = models.PositiveBigIntegerField()
    params_hash = models.CharField(max_length=64, blank=True)
    params = models.JSONField(null=True)

    class Meta:
        verbose_name = "call"
        indexes = [
            models.Index(fields=["-called_at"], name="call_time"),
            models.Index(fields=["tool_id", "-called_at"], name="call_of_tool"),
            models.Index(fields=["application_id", "-called_at"], name="call_of_agent"),
            models.Index(
                fields=["session_id", "called_at"],
                condition=~models.Q(session_id=""),
                name="call_of_session",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ref}: {self.outcome}"


class ToolCallUsage(models.Model):
    """Sums of the calls of an hour by version, agent and outcome, written with the calls themselves.

    `tool_id` is the version that served, or the one that was asked for where none did.
    """

    hour = models.DateTimeField()
    tool_id = models.CharField(max_length=400, db_collation="C")
    provider = models.CharField(max_length=63, db_collation="C")
    name = models.CharField(max_length=64, db_collation="C")
    version = models.CharField(max_length=256, db_collation="C")
    application_id = models.BigIntegerField(null=True)
    agent = models.CharField(max_length=255, blank=True)
    outcome = models.CharField(max_length=12, choices=CallOutcome)
    calls = models.PositiveBigIntegerField()
    duration_ms = models.FloatField()
    longest_ms = models.FloatField()
    request_bytes = models.PositiveBigIntegerField()
    response_bytes = models.PositiveBigIntegerField()

    class Meta:
        verbose_name = "usage"
        verbose_name_plural = "usage"
        constraints = [
            models.UniqueConstraint(
                fields=["hour", "tool_id", "application_id", "agent", "outcome"],
                nulls_distinct=False,
                name="usage_once",
            )
        ]
        indexes = [models.Index(fields=["provider", "name", "hour"], name="usage_of_tool")]

    def __str__(self) -> str:
        return f"{self.tool_id} {self.outcome}: {self.calls}"
