"""Sessions of teams: who took part, what was said, and what was called."""

from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models

from consumers.models.ownership import readable_by
from oauth.principal import Principal

if TYPE_CHECKING:
    from django_stubs_ext.db.models.manager import RelatedManager


class AgentSessionQuerySet(models.QuerySet["AgentSession"]):
    """Filters over sessions."""

    def visible_to(self, principal: Principal) -> "AgentSessionQuerySet":
        """Keep those that the principal may read."""
        return self.filter(readable_by(principal))


class AgentSession(models.Model):
    """One session: it lasts while `ended_at` is None; then `failure` says why it ended early, "" as planned.

    `members` and `statistics` are as in its export. A session whose process died stays as one that lasts.
    """

    session_id = models.CharField(max_length=200, unique=True, db_collation="C")
    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="agent_sessions",
    )
    topic = models.TextField(blank=True)
    model = models.CharField(max_length=300)
    members = models.JSONField()
    turn_order = models.JSONField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    failure = models.TextField(blank=True)
    summary = models.TextField(blank=True)
    statistics = models.JSONField(default=dict)
    turns = models.PositiveIntegerField(default=0)
    call_count = models.PositiveIntegerField("calls", default=0)
    total_tokens = models.PositiveBigIntegerField("tokens", default=0)

    objects = AgentSessionQuerySet.as_manager()

    if TYPE_CHECKING:
        messages: RelatedManager["SessionMessage"]
        calls: RelatedManager["SessionCall"]

    class Meta:
        verbose_name = "session"
        indexes = [models.Index(fields=["application", "-id"], name="session_of_application")]

    def __str__(self) -> str:
        return self.session_id

    @property
    def agents(self) -> list[str]:
        """The names of who takes part."""
        return [one["name"] for one in self.members]


class SessionMessage(models.Model):
    """What an agent said in a turn; turns count from 1, tokens are 0 where a server told none."""

    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="messages")
    turn_id = models.PositiveIntegerField()
    agent = models.CharField(max_length=255)
    message = models.TextField(blank=True)
    prompt_tokens = models.PositiveIntegerField()
    completion_tokens = models.PositiveIntegerField()

    class Meta:
        verbose_name = "message"
        constraints = [models.UniqueConstraint(fields=["session", "turn_id", "agent"], name="message_once")]

    def __str__(self) -> str:
        return f"{self.agent} in turn {self.turn_id}"


class SessionCall(models.Model):
    """What an agent called in a turn: `tool` as the model named it, `error_code` "" for a success.

    `arguments` and `told` hold nothing that a schema marks `x-sensitive`; `params_hash` is of what was sent.
    """

    session = models.ForeignKey(AgentSession, on_delete=models.CASCADE, related_name="calls")
    turn_id = models.PositiveIntegerField()
    agent = models.CharField(max_length=255)
    tool = models.CharField(max_length=200, blank=True)
    tool_id = models.CharField(max_length=400, blank=True, db_collation="C")
    arguments = models.JSONField()
    params_hash = models.CharField(max_length=64)
    told = models.TextField(blank=True)
    error_code = models.CharField(max_length=80, blank=True)
    duration_ms = models.FloatField()

    class Meta:
        verbose_name = "call of a session"
        verbose_name_plural = "calls of sessions"

    def __str__(self) -> str:
        return f"{self.agent} in turn {self.turn_id}: {self.tool}"
