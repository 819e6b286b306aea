"""Numbers with their units, brought to one scale where the scale is certain."""

import re
from decimal import Decimal, InvalidOperation
from typing import Final

from memory_app.domain.statements.lexicon import CARDINALS, SCALES

# name of the base unit -> {spelling: factor}
_SCALES: Final[dict[str, dict[str, str]]] = {
    "second": {
        "ms msec millisecond milliseconds": "0.001",
        "s sec secs second seconds": "1",
        "min mins minute minutes": "60",
        "h hr hrs hour hours": "3600",
        "day days": "86400",
        "week weeks": "604800",
    },
    "month": {"month months": "1", "quarter quarters": "3", "year years yr yrs": "12"},
    "metre": {
        "mm millimetre millimetres millimeter millimeters": "0.001",
        "cm centimetre centimetres centimeter centimeters": "0.01",
        "m metre metres meter meters": "1",
        "km kilometre kilometres kilometer kilometers": "1000",
    },
    "mile": {"mi mile miles": "1"},
    "foot": {"ft foot feet": "1", "yard yards": "3"},
    "inch": {"inch inches": "1"},
    "gram": {
        "mg milligram milligrams": "0.001",
        "g gram grams": "1",
        "kg kilo kilos kilogram kilograms": "1000",
        "tonne tonnes": "1000000",
    },
    "pound weight": {"lb lbs": "1"},
    "ounce": {"oz ounce ounces": "1"},
    "litre": {
        "ml millilitre millilitres milliliter milliliters": "0.001",
        "cl": "0.01",
        "l litre litres liter liters": "1",
    },
    "byte": {
        "b byte bytes": "1",
        "kb kilobyte kilobytes": "1000",
        "mb megabyte megabytes": "1000000",
        "gb gigabyte gigabytes gig gigs": "1000000000",
        "tb terabyte terabytes": "1000000000000",
        "kib": "1024",
        "mib": "1048576",
        "gib": "1073741824",
        "tib": "1099511627776",
    },
    "bit": {
        "bit bits": "1",
        "kbit": "1000",
        "mbit": "1000000",
        "gbit": "1000000000",
        "tbit": "1000000000000",
    },
    "bit/s": {"kbps": "1000", "mbps": "1000000", "gbps": "1000000000"},
    "hertz": {"hz": "1", "khz": "1000", "mhz": "1000000", "ghz": "1000000000"},
    "watt": {
        "milliwatt milliwatts": "0.001",
        "w watt watts": "1",
        "kw kilowatt kilowatts": "1000",
        "mw": "1000000",
    },
    "watt hour": {"wh": "1", "kwh": "1000"},
    "volt": {"v volt volts": "1"},
    "pixel": {"px pixel pixels": "1"},
    "percent": {"% percent pct": "1", "per cent": "1"},
    "celsius": {"°c celsius": "1"},
    "fahrenheit": {"°f fahrenheit": "1"},
    "degree": {"° degree degrees": "1"},
    "$": {"$ dollar dollars usd us$ buck bucks": "1", "cent cents": "0.01"},
    "€": {"€ euro euros eur": "1"},
    "£": {"£ gbp quid pound pounds": "1"},
    "¥": {"¥ yen jpy": "1"},
    "chf": {"chf franc francs": "1"},
    "rupee": {"₹ inr rupee rupees": "1"},
}
UNITS: Final[dict[str, tuple[str, Decimal]]] = {
    spelling: (base, Decimal(factor))
    for base, spellings in _SCALES.items()
    for names, factor in spellings.items()
    for spelling in ([names] if names == "per cent" else names.split())
}
_TAILS: Final[dict[str, Decimal]] = {
    "k": Decimal(1000),
    "thousand": Decimal(1000),
    "million": Decimal(10**6),
    "mio": Decimal(10**6),
    "mn": Decimal(10**6),
    "bn": Decimal(10**9),
    "billion": Decimal(10**9),
}
_units = "|".join(re.escape(unit) for unit in sorted(UNITS, key=len, reverse=True))
_number_word = "|".join([*CARDINALS, *SCALES])
QUANTITY: Final = (
    rf"(?:(?P<currency>us\$|usd |eur |gbp |chf |[$€£¥₹])\s?)?"
    rf"(?P<digits>(?<![\w.])-?\d+(?:,\d{{3}})+(?:\.\d+)?|(?<![\w.])-?\d+(?:[.,]\d+)?)"
    rf"(?:(?P<nth>st|nd|rd|th)\b|\s?(?P<tail>k|thousand|million|mio|mn|bn|billion)\b)?"
    rf"(?:[\s-]?(?P<unit>{_units})(?![\w°]))?(?![\w]|[.,]\d)"
)
WORDED: Final = (
    rf"(?P<worded>\b(?:{_number_word})(?:(?:[\s-]|\sand\s)(?:{_number_word}))*)\b"
    rf"(?:[\s-](?P<worded_unit>{_units})(?![\w°]))?"
)


def measured(digits: str, *, currency: str, tail: str, unit: str) -> tuple[str, str]:
    """(value, base unit) of a number as written.

    Without a unit the spelling counts, not the value: version 3.1 isn't 3.10, code 0042 isn't 42.
    """
    plain = re.sub(r",(?=\d{3}(?!\d))", "", digits).replace(",", ".")
    named = currency.strip() or unit
    base, factor = UNITS.get(named, ("", Decimal(1)))
    if not tail and not base:
        return plain, ""
    try:
        value = Decimal(plain) * _TAILS.get(tail, Decimal(1)) * factor
    except InvalidOperation:
        return plain, base
    return f"{value.normalize():f}", base


def spelled(words: str, *, unit: str) -> tuple[str, str]:
    """(value, base unit) of a number written in words: "two hundred and five" is 205."""
    total = current = 0
    for word in re.split(r"[\s-]+", words):
        if word in SCALES:
            current = max(1, current) * SCALES[word]
            if SCALES[word] > 100:
                total, current = total + current, 0
        else:
            current += CARDINALS.get(word, 0)
    return measured(str(total + current), currency="", tail="", unit=unit)
