"""The filters that lists and searches share."""

from registry.api import shapes
from registry.services.catalogue import Filters


def filters_of(sent: shapes.ListQuery | shapes.SearchRequest | shapes.DescribeQuery) -> Filters:
    """Return the filters of a list query, a search or a description."""
    return Filters(
        categories=_labels(sent.category),
        tags=_labels(sent.tag),
        provider=sent.provider,
        cost_level=sent.cost_level,
        read_only=sent.read_only,
        idempotent=sent.idempotent,
        include_deprecated=sent.include_deprecated,
        include_prerelease=sent.include_prerelease,
    )


def _labels(sent: list[str] | str) -> list[str]:
    return [sent] if isinstance(sent, str) else sent
