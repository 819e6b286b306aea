"""Dates and clock times, brought to one spelling."""

import re
from typing import Final

from memory_app.domain.statements.lexicon import CARDINALS, MONTHS

_month = "|".join(sorted(MONTHS, key=len, reverse=True))
_day = r"(?:0?[1-9]|[12]\d|3[01])"
_year = r"(?:19|20)\d\d"
_hour_word = "|".join(list(CARDINALS)[1:13])

DATE: Final = (
    rf"(?P<iso>\b{_year}[-/](?:0[1-9]|1[0-2])[-/](?:0[1-9]|[12]\d|3[01])\b)"
    rf"|(?P<dotted>\b{_day}\.(?:0?[1-9]|1[0-2])\.{_year}\b)"
    rf"|(?P<slashed>\b\d{{1,2}}/\d{{1,2}}/(?:\d\d)?\d\d\b)"
    rf"|(?P<day_first>\b(?:the\s)?(?P<d1>{_day})(?:st|nd|rd|th|\.)?\s(?:of\s)?(?P<m1>{_month})\b\.?"
    rf"(?:,?\s(?P<y1>{_year})\b)?)"
    rf"|(?P<month_first>\b(?P<m2>{_month})\b\.?\s(?:the\s)?(?P<d2>{_day})(?:st|nd|rd|th)?\b(?![:.]\d)"
    rf"(?:,?\s(?P<y2>{_year})\b)?)"
    rf"|(?P<month_year>\b(?P<m3>{_month})\b\.?,?\s(?:of\s)?(?P<y3>{_year})\b)"
    rf"|(?P<iso_month>\b{_year}-(?:0[1-9]|1[0-2])\b(?!-))"
)
CLOCK: Final = (
    r"(?P<clock>\b(?P<h1>[01]?\d|2[0-3])[:.](?P<min1>[0-5]\d)(?::[0-5]\d)?"
    r"\s?(?P<half1>[ap]\.?m\b\.?)|\b(?P<h2>[01]?\d|2[0-3]):(?P<min2>[0-5]\d)(?::(?P<s2>[0-5]\d))?\b"
    r"|\b(?P<h3>1[0-2]|0?[1-9])\s?(?P<half3>[ap]\.?m\b\.?)"
    rf"|\b(?:(?P<h4>[01]?\d|2[0-4])|(?P<h4w>{_hour_word}))\s?o'clock"
    rf"|(?<=\bat )(?:(?P<h5>[01]?\d|2[0-3])|(?P<h5w>{_hour_word}))"
    r"(?=\s*(?:$|[.,;!?]|(?:on|every|each|sharp|in the|at night|daily|o'clock)\b)(?!\d))"
    rf"|\b(?P<past>half|quarter)\s(?P<way>past|to)\s(?:(?P<h6>1[0-2]|0?[1-9])|(?P<h6w>{_hour_word}))\b"
    r"|\b(?P<named>noon|midday|midnight)\b)"
    r"(?P<later>\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight))?"
)


def _lowered(found: re.Match[str]) -> dict[str, str | None]:
    return {name: text and text.lower() for name, text in found.groupdict().items()}


def date_of(found: re.Match[str]) -> str:
    """`2026-05-03`, `--05-03` or `2026-05`; an ambiguous 5/3/2026 stays as written."""
    group = _lowered(found)
    if group["iso"]:
        return group["iso"].replace("/", "-")
    if group["iso_month"]:
        return group["iso_month"]
    if group["dotted"]:
        parts = group["dotted"].split(".")
        return f"{parts[2]}-{int(parts[1]):02}-{int(parts[0]):02}"
    if group["slashed"]:
        return _slashed(group["slashed"])
    if group["month_year"]:
        return f"{group['y3']}-{MONTHS[group['m3'] or '']:02}"
    day = group["d1"] or group["d2"] or "0"
    month = group["m1"] or group["m2"] or ""
    return f"{group['y1'] or group['y2'] or '-'}-{MONTHS[month]:02}-{int(day):02}"


def _slashed(text: str) -> str:
    first, second, year = text.split("/")
    if len(year) == 4 and int(first) > 12 >= int(second):
        return f"{year}-{int(second):02}-{int(first):02}"
    if len(year) == 4 and int(second) > 12 >= int(first):
        return f"{year}-{int(first):02}-{int(second):02}"
    return text


def clock_of(found: re.Match[str]) -> str:
    """Minutes are kept, seconds only when given; 2 pm, 2:00pm and 14:00 are one time."""
    group = _lowered(found)
    if group["named"]:
        return "00:00" if group["named"] == "midnight" else "12:00"
    words = next((group[k] for k in ("h4w", "h5w", "h6w") if group[k]), None)
    written = next((group[k] for k in ("h1", "h2", "h3", "h4", "h5", "h6") if group[k]), None)
    hour = CARDINALS[words] if words else int(written or 0)
    minute = int(group["min1"] or group["min2"] or 0)
    if group["past"]:
        minute = 30 if group["past"] == "half" else 15
        if group["way"] == "to":
            hour, minute = hour - 1, 60 - minute
    half = (group["half1"] or group["half3"] or "").replace(".", "")
    later = (group["later"] or "").split()
    if (half == "pm" or "afternoon" in later or "evening" in later) and hour < 12:
        hour += 12
    if "night" in later and 5 < hour < 12:
        hour += 12
    if half == "am" and hour == 12:
        hour = 0
    seconds = f":{group['s2']}" if group["s2"] and group["s2"] != "00" else ""
    return f"{hour % 24:02}:{minute:02}{seconds}"
