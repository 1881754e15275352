"""The outbox: what happened, append-only, in an order that never skips a late commit."""

from django.contrib.postgres.fields import ArrayField
from django.db import connection, models
from django.db.models import F, Func

from oauth.principal import Principal, Reach
from registry.models.rule import opened_by


class CurrentTransactionId(Func):
    """PostgreSQL's 64-bit id of the running transaction, as a number."""

    template = "(pg_current_xact_id()::text::bigint)"
    allowed_default = True
    arity = 0


def settled_horizon() -> int:
    """Return the id below which every transaction has ended, committed or not: what is there is settled."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint")
        (horizon,) = cursor.fetchone()
        return int(horizon)


class ToolEventQuerySet(models.QuerySet["ToolEvent"]):
    """Reads of the outbox."""

    def settled(self, horizon: int | None = None) -> "ToolEventQuerySet":
        """Keep the events that no open transaction can precede: below a horizon, that of now without one."""
        return self.filter(transaction_id__lt=settled_horizon() if horizon is None else horizon)

    def in_order(self) -> "ToolEventQuerySet":
        """Order by transaction, then by id; a reader continues behind the last pair it saw."""
        return self.order_by("transaction_id", "pk")

    def behind(self, transaction_id: int, event_id: int) -> "ToolEventQuerySet":
        """Keep what comes behind a place in the order of `in_order`."""
        later = models.Q(transaction_id__gt=transaction_id)
        return self.filter(later | models.Q(transaction_id=transaction_id, pk__gt=event_id))

    def visible_to(self, principal: Principal) -> "ToolEventQuerySet":
        """Keep what the principal may know of: the rule of registrations at the time of the event.

        Events of one recipient are for it alone; those of the registry itself are for operators.
        """
        if principal.reach is Reach.NOTHING:
            return self.none()
        mine = models.Q(recipient_id=None)
        if principal.application_id is not None:
            mine |= models.Q(recipient_id=principal.application_id)
        found = self.filter(mine, is_published=True)
        if not principal.has("tools:admin"):
            found = found.exclude(tool_id="")
        return found.filter(opened_by(principal, scopes="scopes", roles="roles"))


class ToolEvent(models.Model):
    """One fact, `source:subject:act`. A trigger refuses changes and deletions.

    Readers see it through `settled().in_order()`: a transaction that commits late has a higher id than
    everything that was readable before, so it is never skipped. `scopes`, `roles`, `recipient` and
    `is_published` (the registration was approved) decide who may read it; they are the registration's at
    the time of the event. `actor` is who decided, as the audit names them; "" where nobody did.
    """

    class Kind(models.TextChoices):
        REGISTERED = "tool:version:registered"
        UPDATED = "tool:version:updated"
        APPROVED = "tool:version:approved"
        REJECTED = "tool:version:rejected"
        DEPRECATED = "tool:version:deprecated"
        RESTORED = "tool:version:restored"
        YANKED = "tool:version:yanked"
        RETIRED = "tool:version:retired"
        SUSPECT = "tool:health:suspect"
        UNAVAILABLE = "tool:health:unavailable"
        RECOVERED = "tool:health:recovered"
        APPROVAL_DECIDED = "tool:call:decided"
        MOVED = "tool:binding:moved"
        LEFT_BEHIND = "tool:binding:left_behind"
        CHANNEL_PINNED = "tool:channel:pinned"
        CHANNEL_FREED = "tool:channel:freed"
        NAME_DEFAULT = "tool:name:default"
        HELD = "registry:sweep:held"
        RELEASED = "registry:sweep:released"

    transaction_id = models.BigIntegerField(db_default=CurrentTransactionId(), editable=False)
    kind = models.CharField(max_length=40, choices=Kind)
    tool_id = models.CharField(max_length=400, blank=True, db_collation="C")
    occurred_at = models.DateTimeField()
    scopes = ArrayField(models.TextField(), default=list)
    roles = ArrayField(models.TextField(), default=list)
    recipient_id = models.BigIntegerField(null=True)
    is_published = models.BooleanField(default=True)
    actor = models.CharField(max_length=300, blank=True)
    data = models.JSONField(default=dict)

    objects = ToolEventQuerySet.as_manager()

    class Meta:
        verbose_name = "event"
        indexes = [
            models.Index(F("transaction_id"), F("id"), name="event_order"),
            models.Index(fields=["tool_id", "-id"], name="event_of_tool"),
            models.Index(
                fields=["recipient_id", "transaction_id", "id"],
                condition=models.Q(recipient_id__isnull=False),
                name="event_of_recipient",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.tool_id}".rstrip()
