"""What templates need beyond Django's own tags: icons, safe text, moments, the theme."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from uuid import uuid4

from django import template
from django.forms import BoundField
from django.http import HttpRequest
from django.template.context import Context
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from lucide.templatetags.lucide import lucide

from accounts import mail
from dashboard.once import FIELD
from dashboard.presenters import reasons, shortcuts, text
from dashboard.presenters.account import account_pages
from dashboard.presenters.browsers import browser_of
from dashboard.presenters.shell import Destination

register = template.Library()

THEMES = {"light": "paper", "dark": "ink"}
_TINTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class ThemeChoice:
    value: str
    label: str
    icon: str
    pressed: bool


@register.simple_tag
def mail_stays() -> str:
    """Where mail goes that nobody gets; empty where a mail server takes it."""
    return mail.stays_at()


@register.simple_tag
def icon(name: str, classes: str = "size-4 shrink-0") -> str:
    return mark_safe(_icon(str(name), str(classes)))  # noqa: S308 - the drawing is our own package's


@lru_cache(maxsize=256)
def _icon(name: str, classes: str) -> str:
    options: Mapping[str, str] = {"class": classes, "aria_hidden": "true", "stroke_width": "1.75"}
    return lucide(name, size=16, **options)


@register.filter
def spelled(value: object) -> str:
    return text.spelled(str(value))


@register.filter
def visible(value: object) -> SafeString:
    return text.visible(str(value))


@register.filter
def linked(value: object) -> SafeString:
    return text.linked(str(value))


@register.filter
def spaced(value: object) -> str:
    """A name of the API in words: "min_score" is "min score"."""
    return str(value).replace("_", " ")


@register.filter
def plainly(reason: object) -> str:
    return reasons.plainly(str(reason or ""))


@register.filter
def browser(user_agent: object) -> str:
    return browser_of(str(user_agent or ""))


@register.simple_tag
def moment(at: datetime | None, style: str = "relative") -> str:
    """A `<time>` that says the zone; the browser shortens it to "3 min ago" in its own time."""
    if at is None:
        return ""
    return format_html(
        '<time datetime="{}" data-moment="{}" title="{}">{}</time>',
        at.isoformat(),
        style,
        f"{at:%d %b %Y, %H:%M:%S} {at.tzname() or ''}".strip(),
        _plain(at),
    )


def _plain(at: datetime) -> str:
    stamp = f"{at.day} {at:%b %Y, %H:%M}"
    return f"{stamp} {at.tzname()}" if timezone.is_aware(at) else stamp


@register.simple_tag
def avatar(name: object, kind: str = "agent", classes: str = "size-6") -> str:
    """A letter on a tint that depends only on the name, so that one author looks alike everywhere."""
    label = str(name).strip() or "?"
    shape = "rounded-full" if kind == "user" else "rounded-md"
    tint = sum(label.encode()) % _TINTS
    return format_html(
        '<span class="avatar-letter tint-{} {} {}" aria-hidden="true">{}</span>',
        tint,
        shape,
        classes,
        next((c for c in label if c.isalnum()), "?").upper(),
    )


@register.simple_tag(takes_context=True)
def theme_attribute(context: Context) -> SafeString:
    """`data-theme`, when the visitor chose one; without it the system's preference rules."""
    theme = THEMES.get(_chosen(context))
    return format_html('data-theme="{}"', theme) if theme else mark_safe("")


@register.simple_tag(takes_context=True)
def theme_choices(context: Context) -> list[ThemeChoice]:
    chosen = _chosen(context)
    return [
        ThemeChoice(value=value, label=label, icon=symbol, pressed=value == chosen)
        for value, label, symbol in (
            ("system", "System theme", "monitor"),
            ("light", "Light theme", "sun"),
            ("dark", "Dark theme", "moon"),
        )
    ]


def _chosen(context: Context) -> str:
    request = context.get("request")
    chosen = request.COOKIES.get("theme", "") if isinstance(request, HttpRequest) else ""
    return chosen if chosen in THEMES else "system"


@register.simple_tag(takes_context=True)
def shown_on(context: Context) -> str:
    """The page in the window, which an undo leads back to; empty where that is a refused form."""
    request = context["request"]
    if request.htmx:
        return request.htmx.current_url_abs_path or ""
    return request.get_full_path() if request.method == "GET" else ""


@register.simple_tag
def once() -> SafeString:
    """What tells one opening of a form from another, for `dashboard.once`."""
    return format_html('<input type="hidden" name="{}" value="{}">', FIELD, uuid4().hex)


@register.simple_tag
def shortcut_groups() -> tuple[shortcuts.Group, ...]:
    return shortcuts.GROUPS


@register.filter
def styled(field: BoundField) -> SafeString:
    """A form field with the design system's look, by the kind of its widget."""
    looks = {
        "checkbox": "checkbox checkbox-sm",
        "select": "select w-full",
        "textarea": "textarea w-full",
    }
    attributes: dict[str, str | bool] = {"class": looks.get(field.widget_type, "input w-full")}
    if field.errors:
        attributes["aria-describedby"] = f"{field.auto_id}-error-1"
    return field.as_widget(attrs=attributes)


@register.simple_tag(takes_context=True)
def account_links(context: Context) -> tuple[Destination, ...]:
    """The pages of a person's own account; they belong to no organization."""
    request = context.get("request")
    here = request.path if isinstance(request, HttpRequest) else ""
    return account_pages(here)
