"""How a person gets in: one-time links, and sign-up that is closed unless a setting opens it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, cast

from allauth.account.adapter import DefaultAccountAdapter
from django.conf import settings
from django.contrib import messages
from django.core import signing
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from accounts.auth.second_factor import has_second_factor
from accounts.mail import in_our_look
from accounts.models import User
from accounts.services.invitations import (
    InvitationView,
    accept_invitation,
    look_up_invitation,
)
from accounts.services.organizations import create_organization
from memory_app.domain.errors import NotFound, ProductError, Unauthenticated

VALID = timedelta(minutes=15)
INVITATION_KEY = "invitation_token"
LOCAL = "127.0.0.1"
_SALT = "accounts.sign_in"


def sign_in_link(email: str, base_url: str) -> str:
    """A link that signs this person in once, within 15 minutes. Raises `NotFound`.

    It names the person's last sign-in, so any sign-in in between voids it; nothing is stored.
    """
    user = User.objects.filter(email=email.strip().lower(), is_active=True).first()
    if user is None:
        raise NotFound("person")
    token = signing.dumps([user.id, _stamp(user)], salt=_SALT)
    return base_url.rstrip("/") + reverse("accounts:sign_in", args=[token])


def redeem(token: str) -> User:
    """The person behind a link, which works no more after this. Raises `Unauthenticated`.

    One conditional update decides, so of two that come at once exactly one gets in.
    """
    try:
        user_id, stamp = signing.loads(token, salt=_SALT, max_age=VALID)
    except (signing.BadSignature, ValueError):
        raise _void() from None
    user = User.objects.filter(id=user_id, is_active=True).first()
    if user is None or _stamp(user) != stamp:
        raise _void()
    seen = User.objects.filter(id=user.id, last_login=user.last_login)
    if not seen.update(last_login=timezone.now()):
        raise _void()
    user.refresh_from_db()
    return user


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Sign-up is for those who hold an invitation; `ACCOUNT_SIGNUP_OPEN` opens it to everyone.

    Whoever signs up without an invitation gets an organization of their own.
    """

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return bool(settings.ACCOUNT_SIGNUP_OPEN) or _offer(request) is not None

    def save_user(
        self,
        request: HttpRequest,
        user: Any,
        form: Any,
        commit: bool = True,  # noqa: FBT001, FBT002 allauth's signature
    ) -> Any:
        saved = cast(User, super().save_user(request, user, form, commit=commit))
        if not commit:
            return saved
        token = request.session.pop(INVITATION_KEY, None)
        if token is None:
            create_organization(saved, name=saved.email.partition("@")[0])
            return saved
        try:
            accept_invitation(saved, token)
            if settings.EMAIL_URL:  # the token came by mail, so the address is the person's own
                self.stash_verified_email(request, saved.email)
        except ProductError as error:
            messages.error(request, f"{error.message} {error.hint}")
        return saved

    def render_mail(
        self,
        template_prefix: str,
        email: str | list[str],
        context: dict[str, Any],
        headers: dict[str, str] | None = None,
    ) -> Any:
        """Allauth's text, also in our look."""
        message = super().render_mail(template_prefix, email, context, headers)
        message.attach_alternative(in_our_look(message.subject, message.body), "text/html")
        return message

    def get_reset_password_from_key_url(self, key: str) -> str:
        """The route takes letters and figures only: the id goes without its prefix."""
        return str(super().get_reset_password_from_key_url(key.removeprefix("user_")))

    def get_client_ip(self, request: HttpRequest) -> str:
        """A request through a unix socket has no address; its rate limit is everybody's there."""
        return str((request.META.get("REMOTE_ADDR") and super().get_client_ip(request)) or LOCAL)

    def is_reauthentication_required(self, *, app: str, **more: Any) -> bool:
        """Nobody is asked again for what doesn't exist: a password or a second factor."""
        user = self.request.user if self.request is not None else None
        if not isinstance(user, User):
            return True
        known = user.has_usable_password() or has_second_factor(user.id)
        return bool(known and super().is_reauthentication_required(app=app, **more))

    def clean_email(self, email: str) -> str:
        """Who signs up by invitation does so with the address that it was sent to."""
        cleaned = str(super().clean_email(email))
        offer = _offer(self.request)
        if offer is not None and offer.email != cleaned.lower():
            raise ValidationError(f"The invitation was sent to {offer.email}.")
        return cleaned


def _offer(request: HttpRequest | None) -> InvitationView | None:
    token = request.session.get(INVITATION_KEY) if request is not None else None
    if token is None:
        return None
    try:
        return look_up_invitation(token)
    except NotFound:
        return None


def _stamp(user: User) -> str:
    moment: datetime | None = user.last_login
    return "" if moment is None else moment.isoformat()


def _void() -> Unauthenticated:
    return Unauthenticated(
        "This sign-in link has expired or was used.",
        hint="Ask whoever runs the server for a new one (manage.py sign_in_link), or use the password.",
    )
