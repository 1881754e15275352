"""The one visibility rule, as a condition on what keeps scopes and roles."""

from django.db.models import Q

from oauth.principal import Principal, Reach


def opened_by(principal: Principal, *, scopes: str, roles: str) -> Q:
    """Return the condition that scopes and roles open something to a principal.

    What has no scopes is open to every principal; else any shared scope opens it, and likewise for roles.
    """
    if principal.reach is Reach.EVERYTHING:
        return Q()
    if principal.reach is Reach.NOTHING:
        return Q(pk__in=[])
    held, borne = sorted(principal.scopes), sorted(principal.roles)
    return (Q((scopes, [])) | Q((f"{scopes}__overlap", held))) & (
        Q((roles, [])) | Q((f"{roles}__overlap", borne))
    )
