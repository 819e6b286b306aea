from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.auth.models import PermissionsMixin
from django.db import models, transaction
from django.utils import timezone

from accounts.fields import id_field


class UserManager(BaseUserManager["User"]):
    """Makes people by e-mail address, which is kept lower-cased and is the login."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """Whoever calls this vouches for the address; allauth takes the row beside for its own."""
        from allauth.account.models import EmailAddress

        user = self.model(email=email.strip().lower(), **fields)
        user.set_password(password)
        with transaction.atomic(using=self._db):
            user.save(using=self._db)
            EmailAddress.objects.create(user=user, email=user.email, primary=True, verified=True)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)

    def get_by_natural_key(self, username: str | None) -> User:
        return self.get(email=(username or "").strip().lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person; belongs to organizations through memberships."""

    id = id_field("user", primary_key=True)
    email = models.EmailField(unique=True)
    name = models.CharField(max_length=120, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        db_table = "users"

    def __str__(self) -> str:
        return self.name or self.email
