"""What a second factor that doesn't open says."""

from __future__ import annotations

from allauth.mfa.adapter import DefaultMFAAdapter


class MFAAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Allauth has one sentence for a mistyped code and for a passkey that was removed."""

    error_messages = {
        **DefaultMFAAdapter.error_messages,
        "incorrect_code": "This code or passkey doesn’t open the account. A code counts once and for a "
        "minute; a removed passkey no longer counts.",
    }
