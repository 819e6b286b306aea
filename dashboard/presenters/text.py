"""Memory text as people see it: never markup, only http, https and mailto become links.

Bidirectional overrides could make a stored sentence read differently from what it says, so they and
the other invisible controls are shown as escapes. Arabic and Hebrew letters are left alone.
"""

import re
from urllib.parse import urlsplit

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

_UNSEEN = re.compile(
    "[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f"
    "\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff\ufff9-\ufffb]"
)
_LINK = re.compile(
    r"\b(?:https?://[^\s<>\"'`{}|\\^\[\]]+|mailto:[^\s<>\"'`{}|\\^\[\]@?&]+@[A-Za-z0-9.-]+)",
    re.IGNORECASE,
)
_TRAILING = ".,;:!?)*_~"


def visible(text: str) -> SafeString:
    """The text escaped, with each unseen control character as a small visible `U+202E`."""
    parts: list[str] = []
    end = 0
    for found in _UNSEEN.finditer(text):
        parts.append(escape(text[end : found.start()]))
        code = f"U+{ord(found.group()):04X}"
        parts.append(format_html('<span class="escape">{}</span>', code))
        end = found.end()
    parts.append(escape(text[end:]))
    return mark_safe("".join(parts))  # noqa: S308 - every part above is escaped


def spelled(text: str) -> str:
    """The text with each unseen control character as `U+202E`, for titles and labels without markup."""
    return _UNSEEN.sub(lambda found: f"U+{ord(found.group()):04X}", str(text))


def linked(text: str) -> SafeString:
    """`visible`, with addresses as links that hand over neither the opener nor a ranking."""
    parts: list[str] = []
    end = 0
    for found in _LINK.finditer(text):
        address = _without_tail(found.group())
        if _UNSEEN.search(address) or not _has_target(address):
            continue
        parts.append(visible(text[end : found.start()]))
        parts.append(
            format_html(
                '<a href="{}" rel="noopener nofollow" target="_blank" dir="ltr">{}</a>',
                address,
                address,
            )
        )
        end = found.start() + len(address)
    parts.append(visible(text[end:]))
    return mark_safe("".join(parts))  # noqa: S308 - every part above is escaped


def _without_tail(address: str) -> str:
    """Drop sentence punctuation, but keep a closing bracket that was opened inside."""
    while address and address[-1] in _TRAILING:
        if address[-1] == ")" and address.count("(") >= address.count(")"):
            break
        address = address[:-1]
    return address


def _has_target(address: str) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.hostname) if parts.scheme.lower() != "mailto" else bool(parts.path)
