"""The one error tree of the project, and what each error says to its reader.

    ToolrosterError                 code, status, title; detail, errors, nearest, retry
    ├── Malformed              400  the request could not be parsed
    │   └── AuthorizationMalformed  400
    ├── MethodNotAllowed       405  the address takes another method
    ├── BodyTooLarge           413  the body is over the limit
    ├── MediaTypeUnsupported   415  the body is of a type that is not taken
    ├── HeadersTooLarge        431  address and headers together are over the limit
    ├── ApprovalPending        202  somebody has to approve the call: come back with its id
    ├── ToolFailed             502  the tool was called, and answered with a failure
    ├── DocumentInvalid        422  parsed, but wrong: `errors` points at each fault
    │   ├── VersionInvalid     422
    │   ├── RangeInvalid       422
    │   ├── ReferenceInvalid   422
    │   ├── ArgumentsInvalid   422  the arguments of a call are not what the tool takes
    │   └── ToolRefused        422  the tool itself says that the call is wrong
    ├── Unauthenticated        401  no valid token
    │   └── TokenInvalid       401  the token sent is malformed, expired, revoked or for another audience
    ├── PermissionMissing      403  the token lacks a scope, or the namespace belongs to others
    │   ├── InsufficientScope  403  `scopes` would open it
    │   ├── AddressForbidden   403  calls may not go to the address
    │   └── ApprovalRefused    403  somebody looked at the call and refused it
    ├── ToolNotFound           404
    │   ├── NoMatchingVersion  404  the tool exists, no version is in the range
    │   └── ReferenceAmbiguous 409  several providers offer the name, none is the default
    ├── ContractChanged        409  the version is published with another contract
    ├── Conflict               409  the state does not allow the step
    │   ├── VersionTooLow      409  the changes need a higher version: `use_version`
    │   ├── IncompatibleVersion 409 the new version breaks callers of the old one
    │   └── ReviewNeeded       409  somebody should look at the changes first
    └── Unavailable            503  can be retried
        ├── ToolUnavailable    503  the tool exists, no instance of it is alive
        ├── TimedOut           504  the tool did not answer in time
        ├── RateLimited        429  more calls a minute than the tool allows
        └── ConcurrencyLimited 429  more calls at once than the tool allows

`status` is the HTTP status (RFC 9110); `code` is stable, machine-readable and unique. Each interface
has one translator; on HTTP it renders `problem()` as RFC 9457 problem details.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: where (JSON pointer, RFC 6901), which kind, and how to mend it."""

    pointer: str
    code: str
    detail: str

    def as_json(self) -> dict[str, str]:
        """Return the shape of an entry of a problem's `errors`."""
        return {"pointer": self.pointer, "code": self.code, "detail": self.detail}


class ToolrosterError(Exception):
    """The root: every error that a caller may see has a code, a status and a detail."""

    code: ClassVar[str] = "internal_error"
    status: ClassVar[int] = 500
    title: ClassVar[str] = "Internal error"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        detail: str,
        *,
        errors: Sequence[Fault] = (),
        nearest: Sequence[str] = (),
        retry_after_seconds: int | None = None,
        extra: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.nearest = tuple(nearest)
        self.retry_after_seconds = retry_after_seconds
        self.extra = extra or {}

    def pointing(self, to: Callable[[Fault], Fault]) -> Self:
        """Change where the faults point, in the detail as well where it begins with the first pointer."""
        if not self.errors:
            return self
        before = self.errors[0].pointer
        self.errors = tuple(map(to, self.errors))
        if before and self.detail.startswith(f"{before}:"):
            self.detail = self.errors[0].pointer + self.detail.removeprefix(before)
        return self

    def problem(self) -> dict[str, Any]:
        """Return the error as RFC 9457 problem details, with our extension members."""
        return {
            "type": f"urn:toolroster:problem:{self.code}",
            "title": self.title,
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "errors": [fault.as_json() for fault in self.errors],
            "retryable": self.retryable,
            "retry_after_seconds": self.retry_after_seconds,
            "nearest": list(self.nearest),
            **self.extra,
        }


class Malformed(ToolrosterError):
    """The bytes are not what the content type says, or break the limits at the door."""

    code = "malformed"
    status = 400
    title = "The request cannot be parsed"


class AuthorizationMalformed(Malformed):
    """The Authorization header does not hold exactly one bearer token (RFC 6750 §3.1 invalid_request)."""

    code = "authorization_malformed"
    title = "The Authorization header cannot be read"


class MethodNotAllowed(ToolrosterError):
    """The address is right, the method is not."""

    code = "method_not_allowed"
    status = 405
    title = "The method is not allowed here"


class BodyTooLarge(ToolrosterError):
    """The body is larger than the server takes."""

    code = "body_too_large"
    status = 413
    title = "The request is too large"


class MediaTypeUnsupported(ToolrosterError):
    """The body is of a media type that the address does not take."""

    code = "media_type_unsupported"
    status = 415
    title = "The media type is not supported"


class HeadersTooLarge(ToolrosterError):
    """Address and headers are larger than the server takes (RFC 6585 §5)."""

    code = "headers_too_large"
    status = 431
    title = "The request's headers are too large"


class DocumentInvalid(ToolrosterError):
    """The request parses, but some of its values are wrong; `errors` names each."""

    code = "invalid"
    status = 422
    title = "The request has invalid values"


class VersionInvalid(DocumentInvalid):
    """The text is no semantic version (semver.org 2.0.0)."""

    code = "version_invalid"
    title = "Not a semantic version"


class RangeInvalid(DocumentInvalid):
    """The text is no version range (npm grammar)."""

    code = "range_invalid"
    title = "Not a version range"


class ReferenceInvalid(DocumentInvalid):
    """The text is no reference `[provider/]name[@range]` or no tool id."""

    code = "reference_invalid"
    title = "Not a reference to a tool"


class ArgumentsInvalid(DocumentInvalid):
    """The arguments are not what the tool's input schema says; nothing was called."""

    code = "arguments_invalid"
    title = "The tool does not take these arguments"


class ToolRefused(DocumentInvalid):
    """The tool was called and says what is wrong with the call; `extra` has the status that it answered."""

    code = "tool_refused"
    title = "The tool refuses the call"


class Unauthenticated(ToolrosterError):
    """The request needs a token, or its token is invalid or expired."""

    code = "unauthenticated"
    status = 401
    title = "A valid token is needed"


class TokenInvalid(Unauthenticated):
    """A token was sent, but it does not count here (RFC 6750 §3.1)."""

    code = "invalid_token"
    title = "The token is not valid"


class PermissionMissing(ToolrosterError):
    """The caller is known but may not do this."""

    code = "permission_missing"
    status = 403
    title = "Not permitted"


class InsufficientScope(PermissionMissing):
    """The token is valid but its scopes do not reach (RFC 6750 §3.1); `scopes` are what would be needed."""

    code = "insufficient_scope"
    title = "The token's scopes do not reach"

    def __init__(self, detail: str, *, scopes: Sequence[str] = (), **others: Any) -> None:
        super().__init__(detail, **others)
        self.scopes = tuple(scopes)


class AddressForbidden(PermissionMissing):
    """The address is of a private network, and nobody allowed that to its provider."""

    code = "address_forbidden"
    title = "Calls may not go to this address"


class ApprovalRefused(PermissionMissing):
    """Somebody who decides about calls of this tool has refused this one."""

    code = "approval_refused"
    title = "The call was refused"


class ApprovalPending(ToolrosterError):
    """The tool is called when somebody has approved; `extra` has the id to come back with."""

    code = "approval_pending"
    status = 202
    title = "The call waits for approval"
    retryable = True


class ToolNotFound(ToolrosterError):
    """No such tool, or none that the caller may see."""

    code = "tool_not_found"
    status = 404
    title = "No such tool"


class NoMatchingVersion(ToolNotFound):
    """The tool exists, but none of its versions is in the range."""

    code = "no_matching_version"
    title = "No version in the range"


class ReferenceAmbiguous(ToolNotFound):
    """Several providers offer the name and none is marked as its default."""

    code = "reference_ambiguous"
    status = 409
    title = "Several providers offer this name"


class Conflict(ToolrosterError):
    """The state of the resource does not allow the step."""

    code = "conflict"
    status = 409
    title = "The current state does not allow this"


class VersionTooLow(Conflict):
    """The version number promises more than the changes keep; `use_version` says which one they need."""

    code = "version_too_low"
    title = "The changes need a higher version"


class IncompatibleVersion(Conflict):
    """The new version breaks callers of the old one, so they cannot be migrated (seeds/004)."""

    code = "incompatible_version"
    title = "The versions are not compatible"


class ReviewNeeded(Conflict):
    """The changes are no break, but somebody should look at them before they reach anybody."""

    code = "review_needed"
    title = "The changes need a look"


class ContractChanged(Conflict):
    """The version is published, and its contract differs from the document's."""

    code = "contract_changed"
    title = "A published version cannot change its contract"


class Unavailable(ToolrosterError):
    """Something that the answer needs is down; the same request can succeed later."""

    code = "unavailable"
    status = 503
    title = "Temporarily unavailable"
    retryable = True


class ToolUnavailable(Unavailable):
    """The tool exists, but no instance of it is alive."""

    code = "tool_unavailable"
    title = "No instance of the tool is alive"


class TimedOut(Unavailable):
    """The tool did not answer within its `timeout_ms`."""

    code = "timed_out"
    status = 504
    title = "The tool took too long"


class RateLimited(Unavailable):
    """The agent has called the tool as often in a minute as its policy allows."""

    code = "rate_limited"
    status = 429
    title = "Too many calls a minute"


class ConcurrencyLimited(Unavailable):
    """As many calls of the tool run at once as its policy allows."""

    code = "concurrency_limited"
    status = 429
    title = "Too many calls at once"


class ToolFailed(ToolrosterError):
    """The tool was called and failed; what it did before that is not known."""

    code = "tool_failed"
    status = 502
    title = "The tool failed"
