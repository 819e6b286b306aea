"""Every failure that a caller can cause or has to know of, with a stable code and a way out.

Doors translate one class, `ProductError`: REST to an RFC 9457 problem, MCP to an `isError` result,
the dashboard to a message beside the field. Nothing else crosses a door as an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar


class ProductError(Exception):
    """A failure with a stable `code`, an HTTP `status`, a message and a hint that says what to
    do.
    """

    code: ClassVar[str] = "error"
    status: ClassVar[int] = 400

    def __init__(
        self,
        message: str,
        *,
        hint: str = "",
        field: str | None = None,
        details: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.field = field
        self.details: dict[str, Any] = dict(details or {})


class InvalidArgument(ProductError):
    """A value the caller gave is of the wrong type, shape or range; `field` names it."""

    code = "invalid_argument"
    status = 400


class ContentTooLong(InvalidArgument):
    """A text is over the limit of its kind."""

    code = "content_too_long"


class WrongIdPrefix(InvalidArgument):
    """An id of another kind of object was given."""

    code = "wrong_id_prefix"


class Unauthenticated(ProductError):
    """No credential, or one that is unknown, expired or revoked."""

    code = "unauthenticated"
    status = 401


class TierInsufficient(ProductError):
    """The caller may see the object but not do this to it."""

    code = "tier_insufficient"
    status = 403


class RoleInsufficient(ProductError):
    """The caller may see the object, but its role (or being an agent) doesn't allow this."""

    code = "role_insufficient"
    status = 403


class SecondFactorRequired(ProductError):
    """The organization lets in only people who sign in with a second factor."""

    code = "second_factor_required"
    status = 403


class NotFound(ProductError):
    """Absent, or another organization's: the two can't be told apart by the answer."""

    code = "not_found"
    status = 404

    def __init__(self, what: str = "object") -> None:
        super().__init__(
            f"There is no such {what}.",
            hint="Check the id or slug, and that this credential has access to it.",
        )


class Conflict(ProductError):
    """The request contradicts the present state."""

    code = "conflict"
    status = 409


class IdempotencyMismatch(Conflict):
    """An Idempotency-Key came back with another request."""

    code = "idempotency_key_reused"
    status = 422


class FixedSetting(Conflict):
    """A bank's retrieval configuration is fixed at creation (A18)."""

    code = "fixed_at_creation"


class CasConflict(ProductError):
    """The memory has moved on since the watermark the caller holds (B4)."""

    code = "cas_conflict"
    status = 412


class DailyCapReached(ProductError):
    """The organization has used up its operations of this UTC day (E10)."""

    code = "daily_cap_reached"
    status = 429


class RateLimited(ProductError):
    """The key asks faster than its limit allows."""

    code = "rate_limited"
    status = 429


class Unavailable(ProductError):
    """A part this request needs is down or too slow; the same request may succeed later."""

    code = "unavailable"
    status = 503
