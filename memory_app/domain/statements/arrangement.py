"""Who does what to whom: whether two statements put the same arguments in the same roles."""

from collections.abc import Iterator, Sequence
from typing import Final

from memory_app.domain.statements.lexicon import (
    BE,
    PREPOSITIONS,
    RELATION_NOUNS,
    RELATION_VERBS,
    SYMMETRIC,
)
from memory_app.domain.statements.reading import Statement, Token
from memory_app.domain.statements.spelling import stem

# Beyond this many tokens a text is compared as it stands: rearranging it is quadratic.
_LONG: Final = 60
_PARTICIPLES: Final = ("ed", "en", "wn", "nt", "lt", "run", "made", "paid", "led", "held", "done")
_VERBS: Final = {stem(word): relation for word, relation in RELATION_VERBS.items()}


def rearranged(old: Statement, new: Statement) -> bool:
    """Whether the arguments the two share have changed places.

    A fronted phrase ("On Mondays ..."), "A is B" turned to "B is A", the passive voice and the
    order inside a list change no roles. Anything else that isn't understood counts as a change.
    """
    if _symmetric(old) and _symmetric(new):
        return False
    was, now = _roles(old), _roles(new)
    if was and now and was[0] == now[0]:
        return was != now
    return not _same_order(old, new)


def _same_order(old: Statement, new: Statement) -> bool:
    """Words in another form or matched by meaning only ("answer", "answered") have no place."""
    spelled = {token.key for token in old.content} & {token.key for token in new.content}
    wanted, other = _sequence(old.tokens, spelled), _sequence(new.tokens, spelled)
    if sorted(wanted) != sorted(other):
        spelled &= _arguments(old) | _arguments(new)
        wanted, other = _sequence(old.tokens, spelled), _sequence(new.tokens, spelled)
    if len(wanted) != len(other):
        return tuple(dict.fromkeys(wanted)) == tuple(dict.fromkeys(other))
    if _passive(old) != _passive(new):
        return wanted != other
    return other in _variants(old, spelled) or wanted in _variants(new, spelled)


def _arguments(statement: Statement) -> set[str]:
    return {
        token.key
        for token in statement.content
        if token.kind != "word" or token.capital or (token.initial and token.raw[:1].isupper())
    }


def _sequence(tokens: Sequence[Token], wanted: set[str]) -> tuple[str, ...]:
    """Those of the `wanted` words in order, every run of a list ("A, B and C") sorted."""
    keys: list[str] = []
    run: list[str] = []
    joined = True
    for token in tokens:
        if token.kind == "mark" or token.key in ("and", "or"):
            joined = token.raw in ",&+/" or token.key in ("and", "or")
        elif token.content:
            key = token.key
            if not joined:
                keys += sorted(run)
                run = []
            if key in wanted:
                run.append(key)
            joined = False
    return (*keys, *sorted(run))


def _variants(statement: Statement, wanted: set[str]) -> Iterator[tuple[str, ...]]:
    tokens = statement.tokens
    yield _sequence(tokens, wanted)
    if len(tokens) > _LONG:
        return
    for place, token in enumerate(tokens):
        if token.key in BE:
            yield _sequence((*tokens[place + 1 :], token, *tokens[:place]), wanted)
            break
    for place, token in enumerate(tokens):
        if place and token.key in PREPOSITIONS:
            yield _sequence((*tokens[place:], *tokens[:place]), wanted)
            for end in range(place + 1, min(place + 6, len(tokens))):
                moved = (*tokens[place:end], *tokens[:place], *tokens[end:])
                yield _sequence(moved, wanted)


def _symmetric(statement: Statement) -> bool:
    return any(token.key in SYMMETRIC for token in statement.tokens)


def _passive(statement: Statement) -> bool:
    """ "is managed by": a form of be, a participle and its agent."""
    tokens = statement.tokens
    return any(
        token.key == "by"
        and place > 1
        and tokens[place - 1].key.endswith(_PARTICIPLES)
        and any(t.key in BE for t in tokens[:place])
        for place, token in enumerate(tokens)
    )


def _roles(statement: Statement) -> tuple[str, str, str] | None:
    """(relation, upper party, lower party) of a statement about exactly two named parties."""
    names = [t for t in statement.content if t.kind == "word" and t.raw[:1].isupper()]
    relation = next((t for t in statement.tokens if t.stem in _VERBS), None)
    noun = next((t for t in statement.tokens if t.key in RELATION_NOUNS), None)
    if noun in names or relation in names or len(names) != 2:
        return None
    first, second = names
    if noun is not None and (first.possessive or second.possessive or _of(statement, noun)):
        owner_first = first.possessive or (
            not second.possessive and _before(statement, noun, first)
        )
        upper, lower = (second, first) if owner_first else (first, second)
        return RELATION_NOUNS[noun.key], upper.key, lower.key
    if relation is None:
        return None
    named, direction = _VERBS[relation.stem]
    if _passive(statement):
        direction = -direction
    upper, lower = (first, second) if direction > 0 else (second, first)
    return named, upper.key, lower.key


def _of(statement: Statement, noun: Token) -> bool:
    place = statement.tokens.index(noun)
    return any(t.key == "of" for t in statement.tokens[place + 1 : place + 2])


def _before(statement: Statement, noun: Token, name: Token) -> bool:
    return statement.tokens.index(noun) < statement.tokens.index(name)
