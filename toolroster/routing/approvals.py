"""People who have to approve a call before it is made."""

from collections.abc import Mapping
from typing import Any, Protocol

from toolroster.errors import PermissionMissing
from toolroster.routing.calls import Invocation
from toolroster.routing.candidates import Candidate


class Approvals(Protocol):
    """Asked for tools whose policy requires approval."""

    async def check(self, candidate: Candidate, params: Mapping[str, Any], call: Invocation) -> None:
        """Let a call pass that was approved, and change nothing.

        Raises:
            ApprovalPending: nobody has decided; it is asked for now, if it was not before.
            ApprovalRefused: somebody has refused.
            Conflict: the approval is for another call, was used, or has expired.
        """

    async def use(self, call: Invocation) -> None:
        """Use an approval up, right before the call is sent.

        Raises:
            Conflict: another call was faster.
        """

    async def give_back(self, call: Invocation) -> None:
        """Let an approval count again: nothing was sent."""


class NobodyApproves:
    """For agents that call tools themselves: nobody is there to ask."""

    async def check(self, candidate: Candidate, params: Mapping[str, Any], call: Invocation) -> None:
        """See `Approvals`.

        Raises:
            PermissionMissing: always.
        """
        raise PermissionMissing(
            f"{candidate.tool_id} requires approval: call it through the registry (POST /api/tools/invoke)."
        )

    async def use(self, call: Invocation) -> None:
        """See `Approvals`."""

    async def give_back(self, call: Invocation) -> None:
        """See `Approvals`."""
