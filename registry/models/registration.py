"""Registrations: one version of a tool, what may be done with it, and whether it is alive."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

import orjson
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Func, OuterRef, Q, Subquery
from django.utils.functional import cached_property

from oauth.principal import Principal, Reach
from registry.models.embedding import SearchText
from registry.models.instance import ToolInstance
from registry.models.presentation import ToolPresentation
from registry.models.rule import opened_by
from registry.models.tool import Tool
from toolroster.definition import ToolDefinition

if TYPE_CHECKING:
    from django_stubs_ext.db.models.manager import RelatedManager


_HIGHEST_FIRST = ("is_prerelease", F("version_key").desc())
"""Of one tool's versions: a release before any prerelease."""
_BOTH_IDS = Func(
    "pk",
    "search_text",
    template="ARRAY[%(expressions)s]",
    output_field=ArrayField(models.BigIntegerField()),
)
"""A registration and its text in one column: a subquery has no more."""


class ToolRegistrationQuerySet(models.QuerySet["ToolRegistration"]):
    """Filters over registrations. `visible_to` is the one visibility rule of the platform."""

    def visible_to(self, principal: Principal) -> "ToolRegistrationQuerySet":
        """Keep what the principal may know of: approved, not retired, opened by its scopes and roles.

        A registration without scopes is open to every principal; else any shared scope opens it, and
        likewise for the roles of its policy. Liveness is a second question: `alive`.
        """
        return self.opened_to(principal).exclude(lifecycle=ToolRegistration.Lifecycle.RETIRED)

    def opened_to(self, principal: Principal) -> "ToolRegistrationQuerySet":
        """Keep what the principal may know of, and what it might have known of before it was retired."""
        published = self.filter(review=ToolRegistration.Review.APPROVED)
        if principal.reach is Reach.NOTHING:
            return published.none()
        return published.filter(opened_by(principal, scopes="scopes", roles="allowed_roles"))

    def alive(self, cutoff: datetime) -> "ToolRegistrationQuerySet":
        """Keep what can be called: unmonitored, or with a lease whose last beat is after the cutoff."""
        fresh = ToolInstance.objects.fresh(cutoff).filter(registration_id=OuterRef("pk"))
        # A scalar subquery: PostgreSQL turns EXISTS under OR into a scan of all leases for every page.
        one = Subquery(fresh.order_by().values("pk")[:1])
        return self.alias(fresh_lease=one).filter(
            Q(health=ToolRegistration.Health.UNMONITORED)
            | (~Q(health=ToolRegistration.Health.UNAVAILABLE) & Q(fresh_lease__isnull=False))
        )

    def active(self) -> "ToolRegistrationQuerySet":
        """Keep what is neither deprecated nor retired."""
        return self.filter(lifecycle=ToolRegistration.Lifecycle.ACTIVE)

    def deprecated(self) -> "ToolRegistrationQuerySet":
        """Keep what is deprecated and not retired."""
        return self.filter(lifecycle=ToolRegistration.Lifecycle.DEPRECATED)

    def listed(self) -> "ToolRegistrationQuerySet":
        """Keep what lists may show: everything but what was yanked."""
        return self.filter(yanked_at__isnull=True)

    def stable(self) -> "ToolRegistrationQuerySet":
        """Keep releases, without prereleases."""
        return self.filter(is_prerelease=False)

    def promising(self) -> "ToolRegistrationQuerySet":
        """Keep what versions to come are held against: neither retired nor rejected."""
        return self.exclude(lifecycle=ToolRegistration.Lifecycle.RETIRED).exclude(
            review=ToolRegistration.Review.REJECTED
        )

    def newest_first(self) -> "ToolRegistrationQuerySet":
        """Order by semver precedence, the highest version first."""
        return self.order_by(F("version_key").desc(), "tool_id")

    def with_last_beat(self) -> "ToolRegistrationQuerySet":
        """Add `last_beat_at`, the newest beat of a serving instance, None without one."""
        newest = (
            ToolInstance.objects.serving()
            .filter(registration_id=OuterRef("pk"))
            .order_by("-last_beat_at", "pk")
            .values("last_beat_at")[:1]
        )
        return self.annotate(last_beat_at=Subquery(newest))

    def one_per_tool(self) -> "ToolRegistrationQuerySet":
        """Keep the highest version of each tool, in the order of tools; a release before any prerelease."""
        return self.order_by("of_tool", *_HIGHEST_FIRST).distinct("of_tool")

    def ids_of_one_per_tool(self) -> list[tuple[int, int]]:
        """Return registration and text of `one_per_tool`, looked up tool by tool in an index.

        It is for sets that hold most tools; one that holds few is sorted before all tools are looked up.
        """
        highest = self.filter(of_tool=OuterRef("pk")).order_by(*_HIGHEST_FIRST).values(both=_BOTH_IDS)[:1]
        found = Tool.objects.order_by("pk").values_list(Subquery(highest), flat=True)
        return [tuple(both) for both in found if both is not None]


class ToolRegistration(models.Model):
    """One version of a tool.

    Three independent facts: `review` (DRAFT → PENDING → APPROVED | REJECTED), `lifecycle` (ACTIVE →
    DEPRECATED → RETIRED; with `yanked_at` deprecated, and listed nowhere) and `health` (UNMONITORED until the
    first beat; HEALTHY → SUSPECT → UNAVAILABLE by missed beats, back to HEALTHY by a beat).

    `document_text` holds the canonical registration document with the approved words (text, since jsonb
    would lose the order of parameters); the columns repeat what is searched and filtered by.
    """

    class Review(models.TextChoices):
        DRAFT = "DRAFT"
        PENDING = "PENDING"
        APPROVED = "APPROVED"
        REJECTED = "REJECTED"

    class Lifecycle(models.TextChoices):
        ACTIVE = "ACTIVE"
        DEPRECATED = "DEPRECATED"
        RETIRED = "RETIRED"

    class Health(models.TextChoices):
        UNMONITORED = "UNMONITORED"
        HEALTHY = "HEALTHY"
        SUSPECT = "SUSPECT"
        UNAVAILABLE = "UNAVAILABLE"

    class CostLevel(models.TextChoices):
        LOW = "LOW"
        MEDIUM = "MEDIUM"
        HIGH = "HIGH"

    class Liveness(models.TextChoices):
        UNSET = ""
        HEARTBEAT = "heartbeat"
        PROBE = "probe"
        NONE = "none"

    of_tool = models.ForeignKey(Tool, on_delete=models.PROTECT, related_name="registrations")
    tool_id = models.CharField(max_length=400, unique=True, db_collation="C")
    version = models.CharField(max_length=256)
    version_key = models.TextField(db_collation="C")
    core_key = models.TextField(db_collation="C")
    is_prerelease = models.BooleanField()

    document_text = models.TextField()
    content_hash = models.CharField(max_length=64)
    contract_hash = models.CharField(max_length=64)
    scopes = ArrayField(models.TextField(), default=list, blank=True)
    allowed_roles = ArrayField(models.TextField(), default=list, blank=True)
    categories = ArrayField(models.TextField(), default=list, blank=True)
    tags = ArrayField(models.TextField(), default=list, blank=True)
    cost_level = models.CharField(max_length=6, choices=CostLevel)
    read_only = models.BooleanField()
    idempotent = models.BooleanField()
    liveness = models.CharField(max_length=9, choices=Liveness, blank=True)
    search_text = models.ForeignKey(SearchText, on_delete=models.PROTECT, related_name="registrations")

    review = models.CharField(max_length=8, choices=Review)
    lifecycle = models.CharField(max_length=10, choices=Lifecycle, default=Lifecycle.ACTIVE)
    health = models.CharField(max_length=11, choices=Health, default=Health.UNMONITORED)
    failing_until = models.DateTimeField(null=True, blank=True)
    """Real calls fail: until then it is suspect, whatever its beats say."""
    failing_instances = models.JSONField(default=dict, db_default={}, blank=True)
    """The instances whose calls fail, each with its end (ISO 8601); the latest is `failing_until`."""
    deprecated_at = models.DateTimeField(null=True, blank=True)
    yanked_at = models.DateTimeField(null=True, blank=True)
    sunset_at = models.DateTimeField(null=True, blank=True)
    replaced_by = models.TextField(blank=True)
    deprecation_reason = models.TextField(blank=True)

    approved_presentation = models.ForeignKey(
        ToolPresentation, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    pending_presentation = models.ForeignKey(
        ToolPresentation, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    registered_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = ToolRegistrationQuerySet.as_manager()

    if TYPE_CHECKING:
        instances: RelatedManager[ToolInstance]
        presentations: RelatedManager[ToolPresentation]

    class Meta:
        verbose_name = "registration"
        constraints = [
            # Up to build metadata: 1.0.0+a and 1.0.0+b are one version (semver.org §10).
            models.UniqueConstraint(fields=["of_tool", "version_key"], name="registration_version_once"),
        ]
        indexes = [
            # `ids_of_one_per_tool`.
            models.Index("of_tool", "is_prerelease", F("version_key").desc(), name="registration_highest"),
            GinIndex(fields=["categories"], name="registration_categories"),
            GinIndex(fields=["tags"], name="registration_tags"),
            GinIndex(fields=["scopes"], name="registration_scopes"),
            models.Index(
                fields=["sunset_at"],
                condition=Q(lifecycle="DEPRECATED", sunset_at__isnull=False),
                name="registration_sunset",
            ),
            # The admin's questions: what is sick, what waits for a decision.
            models.Index(
                fields=["id"],
                condition=Q(health__in=["SUSPECT", "UNAVAILABLE"]),
                name="registration_sick",
            ),
            models.Index(
                fields=["failing_until"],
                condition=Q(failing_until__isnull=False),
                name="registration_failing",
            ),
            models.Index(
                fields=["id"],
                condition=Q(review__in=["DRAFT", "PENDING", "REJECTED"]),
                name="registration_undecided",
            ),
        ]

    def __str__(self) -> str:
        return self.tool_id

    @property
    def is_in_use(self) -> bool:
        """Whether it is approved and active: agents are moved to it, and channels point at it."""
        return self.review == self.Review.APPROVED and self.lifecycle == self.Lifecycle.ACTIVE

    @cached_property
    def document(self) -> dict[str, Any]:
        """The canonical registration document."""
        document: dict[str, Any] = orjson.loads(self.document_text)
        return document

    @property
    def definition(self) -> ToolDefinition:
        """The published definition."""
        return ToolDefinition.parse(self.document)
