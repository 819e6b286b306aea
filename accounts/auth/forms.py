"""allauth's forms where ids of ours come in."""

from __future__ import annotations

from allauth.account.forms import UserTokenForm as _UserTokenForm

from accounts.models import User
from memory_app.domain.ids import is_id


class UserTokenForm(_UserTokenForm):  # type: ignore[misc]  # untyped
    """The person and the key of a reset link, whose id comes without its prefix; any part may be
    damaged.
    """

    def _get_user(self, uidb36: str | None) -> User | None:
        whole = f"user_{uidb36}"
        return User.objects.filter(id=whole).first() if is_id("user", whole) else None
