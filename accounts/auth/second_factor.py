"""Whether a person signs in with more than a password."""

from __future__ import annotations

from allauth.mfa.models import Authenticator

from accounts.models import User
from memory_app.domain.errors import SecondFactorRequired

# Recovery codes alone are the way back in, not a second factor.
FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def has_second_factor(user_id: str) -> bool:
    """Whether an authenticator app or a passkey is set up. One query."""
    return bool(Authenticator.objects.filter(user_id=user_id, type__in=FACTORS).exists())


def people_with_second_factor(user_ids: list[str]) -> set[str]:
    """Those of the people named who have one. One query."""
    found = Authenticator.objects.filter(user_id__in=user_ids, type__in=FACTORS)
    return {str(user_id) for user_id in found.values_list("user_id", flat=True)}


def require_second_factor(user: User, organization: str) -> None:
    """Raises `SecondFactorRequired`; the organization's name goes into the sentence."""
    if not has_second_factor(user.id):
        raise SecondFactorRequired(
            f"{organization} asks its members for a second factor.",
            hint="Set up an authenticator app or a passkey, then come back.",
        )
