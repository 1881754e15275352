"""Migrations of agents from one version of a tool to another, kept so that they can be taken back."""

from typing import TYPE_CHECKING

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from consumers.models.binding import ToolBinding
from registry.models import ToolRegistration

if TYPE_CHECKING:
    from django_stubs_ext.db.models.manager import RelatedManager


class VersionMigration(models.Model):
    """One migration that changed something. `deprecated` says that it deprecated the old version."""

    old = models.ForeignKey(ToolRegistration, on_delete=models.PROTECT, related_name="+")
    new = models.ForeignKey(ToolRegistration, on_delete=models.PROTECT, related_name="+")
    percent = models.PositiveSmallIntegerField(
        default=100, validators=[MinValueValidator(1), MaxValueValidator(100)]
    )
    deprecated = models.BooleanField()
    actor = models.CharField(max_length=300, blank=True)
    migrated_at = models.DateTimeField()
    rolled_back_at = models.DateTimeField(null=True, blank=True)

    if TYPE_CHECKING:
        moves: RelatedManager["MigrationMove"]

    class Meta:
        verbose_name = "version migration"

    def __str__(self) -> str:
        return f"{self.old} → {self.new}"


class MigrationMove(models.Model):
    """What became of one agent: `reason` is why it stayed, "" for one that was moved."""

    migration = models.ForeignKey(VersionMigration, on_delete=models.CASCADE, related_name="moves")
    binding = models.ForeignKey(ToolBinding, on_delete=models.CASCADE, related_name="moves")
    reason = models.CharField(max_length=40, blank=True)

    class Meta:
        verbose_name = "move"
        constraints = [models.UniqueConstraint(fields=["migration", "binding"], name="move_once")]

    def __str__(self) -> str:
        return f"{self.binding_id}: {self.reason or 'moved'}"
