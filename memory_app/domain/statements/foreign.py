"""Words of change in German, French, Spanish, Italian and Japanese.

The models know English. A statement in another language that says by a word of its own that
something changed is at least put to a person.
"""

import re
import unicodedata
from typing import Final

from memory_app.domain.statements.lexicon import words

# Written without accents, as they are looked for; "ne ... plus" stands for all between.
_LATIN: Final = (
    *words(
        """
        jetzt inzwischen nunmehr mittlerweile umgezogen verschoben geandert gewechselt umbenannt
        verzogen ersetzt gekundigt erhoht gesenkt umgestellt abgelost geschlossen erledigt stattdessen
        maintenant desormais demenage migre remplace reporte change renomme ferme quitte augmente
        baisse
        ahora mudado mudada trasladado trasladada migro migrado migramos subio bajo cambio cambiado
        reemplazado reemplazada sustituido
        sustituida aplazado aplazada cerrado cerrada dejo
        ora adesso traslocato trasferito trasferita spostato spostata
        """
    ),
    "nicht mehr",
    "nach .{1,60} gezogen",
    "(?:kein|keine|keinen) mehr",
    "(?:ab|seit) (?:sofort|heute|januar|februar|marz|april|mai|juni|juli|august|september)",
    "(?:ab|seit) (?:oktober|november|dezember|[0-9]{4})",
    "n(?:e |').{1,30} plus",
    "passe (?:a|de)",
    "a partir de?",
    "ya no",
    "se (?:mudo|traslado)",
    "(?:a|ont|avons) emmenage",
    "parti(?:e|s)? (?:vivre|habiter)",
    "si trasferi",
    "desde ahora",
    "paso (?:a|de)",
    "non .{1,30} piu",
)
_CHANGES: Final = re.compile(
    rf"\b(?:{'|'.join(_LATIN)})\b"
    "|現在|移転|退職|変更|移行|引っ越|転職|廃止|終了|延期|もう|今は|今では|からは|になりました|なくなり"
)
_ENGLISH: Final = frozenset(words("the is are of and to has have by with this that user we our"))
# So many characters at the start, or words of so many letters, say that both are about one thing.
_START: Final = 3
_LONG: Final = 4
_SHARED: Final = 2


def changes_abroad(earlier: str, later: str) -> bool:
    """Whether the later one says a word of change that the earlier doesn't, of the same subject."""
    was, now = (set(text.lower().strip(".!").split()) for text in (earlier, later))
    if now & _ENGLISH:
        return False
    shared = sum(len(word) >= _LONG for word in was & now)
    if later[:_START].lower() != earlier[:_START].lower() and shared < _SHARED:
        return False
    return bool(set(_changes(later)) - set(_changes(earlier)))


def _changes(text: str) -> list[str]:
    return _CHANGES.findall("".join(map(_bare, text.lower())))


def _bare(letter: str) -> str:
    """A Latin letter without its accent; kana keep their marks."""
    bare = unicodedata.normalize("NFD", letter)[0]
    return bare if bare.isascii() else letter
