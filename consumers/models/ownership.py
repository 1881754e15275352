"""Rows that belong to the application that wrote them."""

from django.db.models import Q

from oauth.principal import Principal


def own(principal: Principal) -> Q:
    """Return the condition for what is a principal's own: its client's, for the person for whom that acts."""
    return Q(application=principal.application_id, user_id=principal.user_id)


def readable_by(principal: Principal) -> Q:
    """Return the condition on rows with an `application`: its own for a client, all for an operator.

    Who shows no token reads what nobody in particular wrote, and only where it may govern: in development.
    """
    governs = principal.has("tools:admin")
    if governs and not principal.is_anonymous:
        return Q()
    if principal.application_id is not None:
        return Q(application=principal.application_id)
    return Q(application=None) if governs else Q(pk__in=[])
