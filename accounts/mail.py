"""Mail to people: one text template each, shown as plain text and in the product's look."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import EmailMultiAlternatives
from django.template.loader import render_to_string

logger = logging.getLogger(__name__)

_ADDRESS = re.compile(r"^https?://\S+$")
_LABEL = re.compile(r"^[^:.]{1,40}:$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A piece of a mail: running text, or an address that becomes a button of that label."""

    text: str
    label: str = ""


def stays_at() -> str:
    """Where mail stays on the server, in words, while no mail server is set; empty while one is."""
    if settings.EMAIL_URL:
        return ""
    return "the folder mail/ of the data folder" if settings.EMAIL_FILE_PATH else "the server’s log"


def send(template: str, to: str, context: Mapping[str, Any]) -> bool:
    """Send `mail/<template>_subject.txt` and `_message.txt`; whether the server took it.

    A mail server that is down is logged and answered with False: what the mail was about stays done.
    """
    subject = render_to_string(f"mail/{template}_subject.txt", dict(context))
    text = render_to_string(f"mail/{template}_message.txt", dict(context))
    message = compose(subject, text, to)
    try:
        return message.send() > 0
    except (OSError, SMTPException):
        logger.exception("mail_failed", extra={"template": template})
        return False


def compose(subject: str, text: str, to: str) -> EmailMultiAlternatives:
    """Both forms of one text. A subject is one line, whatever a name in it holds."""
    line = " ".join(subject.split())
    body = text.strip() + "\n"
    message = EmailMultiAlternatives(line, body, settings.DEFAULT_FROM_EMAIL, [to])
    message.attach_alternative(in_our_look(line, body), "text/html")
    return message


def in_our_look(subject: str, text: str) -> str:
    """The text as HTML: paragraphs, and a button for an address that stands alone on its line, named by
    a short line before it that ends in a colon. What follows the line `--` is said quietly below.
    """
    said, _, below = text.partition("\n--\n")
    context = {
        "subject": subject,
        "paragraphs": list(_paragraphs(said)),
        "below": list(_paragraphs(below)),
    }
    return render_to_string("mail/layout.html", context)


def _paragraphs(text: str) -> list[Paragraph]:
    pieces: list[Paragraph] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        lines: list[str] = []
        for line in block.splitlines():
            if _ADDRESS.match(line.strip()):
                label = lines.pop()[:-1] if lines and _LABEL.match(lines[-1]) else ""
                pieces += [Paragraph(text="\n".join(lines))] if lines else []
                pieces.append(Paragraph(text=line.strip(), label=label or "Open"))
                lines = []
            else:
                lines.append(line)
        pieces += [Paragraph(text="\n".join(lines))] if lines else []
    return pieces
