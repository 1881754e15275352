"""Calls that may come twice: what became of the first is what the second is told."""

from django.conf import settings
from django.db import models


class RepeatableCall(models.Model):
    """A call with an Idempotency-Key (IETF draft-ietf-httpapi-idempotency-key-header).

    `answer` is None while it runs; a call whose process died stays so, since what it did is not known.
    """

    application = models.ForeignKey(
        settings.OAUTH2_PROVIDER_APPLICATION_MODEL, on_delete=models.CASCADE, null=True, related_name="+"
    )
    user_id = models.BigIntegerField(null=True)
    key = models.CharField(max_length=255, db_collation="C")
    request_hash = models.CharField(max_length=64)
    began_at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    answer = models.BinaryField(null=True)

    class Meta:
        verbose_name = "repeatable call"
        constraints = [
            models.UniqueConstraint(
                fields=["application", "user_id", "key"], nulls_distinct=False, name="repeatable_once"
            )
        ]
        indexes = [models.Index(fields=["began_at"], name="repeatable_age")]

    def __str__(self) -> str:
        return self.key
