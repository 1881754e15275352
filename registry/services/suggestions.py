"""The nearest valid names for an error: of what the caller may see, and nothing else."""

import difflib

from oauth.principal import Principal
from registry.models import ToolPosting, ToolRegistration
from registry.search import tokens

MOST = 5
"""How many names an error lists."""
_POOL = 500
"""How many candidates are compared: those that share a word, and those that begin alike."""


def names_like(name: str, principal: Principal) -> list[str]:
    """Return visible tool names that resemble `name`, the most alike first."""
    visible = ToolRegistration.objects.visible_to(principal)
    sharing = ToolPosting.objects.filter(term__in=list(tokens.query_terms(name)))
    pool = set(
        visible.filter(search_text__in=sharing.values("text")[:_POOL]).values_list("of_tool__name", flat=True)
    )
    alike = visible.filter(of_tool__name__startswith=name[:1]).order_by("of_tool__name")
    pool |= set(alike.values_list("of_tool__name", flat=True).distinct()[:_POOL])
    return difflib.get_close_matches(name, sorted(pool), n=MOST, cutoff=0.5)
