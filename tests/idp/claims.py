"""What the company's provider says of its people."""

from typing import Any

from oauth2_provider.oauth2_validators import OAuth2Validator


class CompanyValidator(OAuth2Validator):  # type: ignore[misc]  # DOT ships no types
    """Names people, their addresses and their groups."""

    oidc_claim_scope = None

    def get_additional_claims(self, request: Any) -> dict[str, Any]:
        person = request.user
        return {
            "preferred_username": person.username,
            "email": person.email,
            "groups": list(person.groups.values_list("name", flat=True)),
        }
