"""What is said of a version that is on its way out."""

from collections.abc import Mapping
from typing import Any, Literal


def farewell(document: Mapping[str, Any]) -> tuple[Literal["deprecated", "yanked"], str] | None:
    """Return how a served version is on its way out and what is said of it; None for one in use."""
    if document.get("lifecycle", "ACTIVE") == "ACTIVE":
        return None
    how: Literal["deprecated", "yanked"] = "yanked" if document.get("yanked_at") else "deprecated"
    said = [f"{document.get('tool_id')} is {how}."]
    said += [str(document["deprecation_reason"])] if document.get("deprecation_reason") else []
    said += [f"It ends at {document['sunset_at']}."] if document.get("sunset_at") else []
    said += [f"Use {document['replaced_by']}."] if document.get("replaced_by") else []
    return how, " ".join(said)
