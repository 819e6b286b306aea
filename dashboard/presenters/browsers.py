"""What a User-Agent says of the program and the system, in the words of who uses them."""

from __future__ import annotations

# Most programs also claim to be others, so the rarer name stands first.
_PROGRAMS = (
    ("Edg/", "Edge"),
    ("EdgA/", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
    ("curl/", "curl"),
)
_SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)
_SHOWN = 60


def browser_of(user_agent: str) -> str:
    """As "Firefox on Windows"; the beginning of what it says of itself where neither is known."""
    program = next((name for mark, name in _PROGRAMS if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS if mark in user_agent), "")
    known = " on ".join(part for part in (program, system) if part)
    return known or user_agent.strip()[:_SHOWN] or "An unnamed program"
