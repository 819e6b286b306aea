"""Entities, relations and facts as the three toolsets let a caller state them, parsed at the edge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_app.domain import text
from memory_app.domain.errors import InvalidArgument
from memory_app.domain.names import (
    DESCRIPTION_LIMIT,
    NAME_LIMIT,
    RELATION_LIMIT,
    TYPE_LIMIT,
    clean_name,
    name_key,
    type_key,
)
from memory_app.domain.values import Draft, EntityDraft, RelationDraft, parse_props

ENTITIES_LIMIT = 100
RELATIONS_LIMIT = 200
FACTS_LIMIT = 200
QUERIES_LIMIT = 10
NOTE_LIMIT = 4_000
ABOUT_LIMIT = 2
CONFIDENCES = ("extracted", "inferred", "ambiguous")
CAUSAL_HINTS = ("caused_by", "led_to", "enabled_by", "blocked_by", "contradicts")
_HINT_KEYS = {type_key(hint): hint for hint in CAUSAL_HINTS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact of an episode; its ends are names among the episode's entities."""

    source: str
    target: str
    relation_type: str
    text: str
    confidence: str
    causal_hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Episode:
    """What an agent learned in a session: entities, and facts between them."""

    session_id: str
    entities: tuple[EntityDraft, ...]
    facts: tuple[Fact, ...]
    resolutions: Mapping[str, str]
    assume_new: bool = False
    project: str = ""


def parse_entities(
    value: object, *, field: str, kind: str, described: bool
) -> tuple[EntityDraft, ...]:
    """Entities as objects with `name`, the key `kind` for the type, and optional description and
    queries. With `described` every one needs a description (A5).
    """
    found = []
    for number, item in enumerate(_list(value, field, ENTITIES_LIMIT)):
        here = f"{field}[{number}]"
        given = _object(item, here, {"name", kind, "description", "queries"})
        description = _label(given.get("description"), f"{here}.description", DESCRIPTION_LIMIT)
        if described and not description:
            raise InvalidArgument(
                f"{here}.description must not be empty: an entity is found by its description.",
                hint="Describe every entity in a sentence; nothing of this call was stored.",
                field=f"{here}.description",
            )
        found.append(
            EntityDraft(
                name=clean_name(given.get("name"), field=f"{here}.name"),
                type=_label(given.get(kind), f"{here}.{kind}", TYPE_LIMIT),
                description=description,
                queries=tuple(
                    text.clean(query, field=f"{here}.queries", limit=500, least=1, lines=False)
                    for query in _list(given.get("queries"), f"{here}.queries", QUERIES_LIMIT)
                ),
            )
        )
    return tuple(found)


def parse_relations(
    value: object, *, field: str, source: str, target: str
) -> tuple[RelationDraft, ...]:
    """Relations as objects; `source` and `target` name the keys of the two ends."""
    found = []
    allowed = {source, "type", target, "description", "weight", "props"}
    for number, item in enumerate(_list(value, field, RELATIONS_LIMIT)):
        here = f"{field}[{number}]"
        given = _object(item, here, allowed)
        found.append(
            RelationDraft(
                source=clean_name(given.get(source), field=f"{here}.{source}"),
                type=text.clean(
                    given.get("type"),
                    field=f"{here}.type",
                    limit=RELATION_LIMIT,
                    least=1,
                    lines=False,
                ),
                target=clean_name(given.get(target), field=f"{here}.{target}"),
                description=_label(
                    given.get("description"), f"{here}.description", DESCRIPTION_LIMIT
                ),
                weight=_weight(given.get("weight"), f"{here}.weight"),
                props=parse_props(given.get("props")),
            )
        )
    return tuple(found)


def parse_note(
    *, content: object, entities: object, relations: object, tags: object, props: object
) -> Draft:
    """A note: 1 to 4,000 characters, the same only with the same entities and relations (C1)."""
    named = parse_entities(entities, field="entities", kind="label", described=False)
    related = parse_relations(relations, field="relations", source="from", target="to")
    parts = [f"{one.type}:{name_key(one.name)}" for one in named]
    parts += [f"{one.source}>{type_key(one.type)}>{one.target}" for one in related]
    return Draft(
        content=text.clean(content, field="text", limit=NOTE_LIMIT, least=1),
        tags=text.clean_tags(tags),
        props=parse_props(props),
        entities=named,
        relations=related,
        identity=("note", *sorted(parts)),
        compared=False,
    )


def parse_end(value: object, *, field: str) -> EntityDraft | str:
    """One end of a link (C4): a name with a label, or the id of an existing entity."""
    if isinstance(value, str):
        return text.clean(value, field=field, limit=NAME_LIMIT, least=1, lines=False)
    given = _object(value, field, {"label", "name", "id"})
    if given.get("id") is not None:
        return text.clean(given["id"], field=f"{field}.id", limit=NAME_LIMIT, least=1, lines=False)
    return EntityDraft(
        name=clean_name(given.get("name"), field=f"{field}.name"),
        type=_label(given.get("label"), f"{field}.label", TYPE_LIMIT),
    )


def parse_link(
    source: EntityDraft | str, kind: object, target: EntityDraft | str, *, props: object
) -> RelationDraft:
    """The relation between two parsed ends."""
    ends = [end if isinstance(end, str) else end.name for end in (source, target)]
    return RelationDraft(
        source=ends[0],
        type=text.clean(kind, field="type", limit=RELATION_LIMIT, least=1, lines=False),
        target=ends[1],
        props=parse_props(props),
    )


def parse_about(value: object) -> tuple[str, ...]:
    """One or two names of entities (D4); more are refused."""
    names = _list(value, "about", ABOUT_LIMIT)
    return tuple(clean_name(name, field=f"about[{n}]") for n, name in enumerate(names))


def parse_episode(
    *,
    session_id: object,
    entities: object,
    facts: object,
    entity_resolutions: object = None,
    assume_new: object = None,
    project: object = None,
) -> Episode:
    """An episode (D1): names unique in the call, every end of a fact among them."""
    named = parse_entities(entities, field="entities", kind="type", described=False)
    keys = [name_key(one.name) for one in named]
    for number, key in enumerate(keys):
        if key in keys[:number]:
            raise InvalidArgument(
                f"entities[{number}].name {named[number].name!r:.80} is named twice in this call.",
                hint="Name each entity once.",
                field=f"entities[{number}].name",
            )
    if assume_new is not None and not isinstance(assume_new, bool):
        raise InvalidArgument(
            "assume_new must be true or false.", hint="Send a JSON boolean.", field="assume_new"
        )
    return Episode(
        session_id=text.clean_label(session_id, field="session_id", limit=200) or "",
        entities=named,
        facts=tuple(
            _fact(item, f"facts[{number}]", set(keys))
            for number, item in enumerate(_list(facts, "facts", FACTS_LIMIT))
        ),
        resolutions=_resolutions(entity_resolutions, set(keys)),
        assume_new=bool(assume_new),
        project=text.clean_label(project, field="project") or "",
    )


def _fact(item: object, here: str, known: set[str]) -> Fact:
    given = _object(
        item, here, {"source", "target", "relation_type", "fact", "confidence", "causal_hint"}
    )
    ends = {end: clean_name(given.get(end), field=f"{here}.{end}") for end in ("source", "target")}
    for end, name in ends.items():
        if name_key(name) not in known:
            raise InvalidArgument(
                f"{here}.{end} {name!r:.80} is not among the entities of this call.",
                hint="Add it to entities, spelled the same.",
                field=f"{here}.{end}",
            )
    relation = text.clean(
        given.get("relation_type"),
        field=f"{here}.relation_type",
        limit=RELATION_LIMIT,
        least=1,
        lines=False,
    )
    hint = given.get("causal_hint")
    return Fact(
        source=ends["source"],
        target=ends["target"],
        relation_type=relation,
        text=text.clean(given.get("fact"), field=f"{here}.fact", limit=text.CONTENT_LIMIT, least=1),
        confidence=_one_of(given.get("confidence"), f"{here}.confidence", CONFIDENCES),
        causal_hint=_one_of(hint, f"{here}.causal_hint", CAUSAL_HINTS)
        if hint is not None
        else _HINT_KEYS.get(type_key(relation), ""),
    )


def _resolutions(value: object, known: set[str]) -> dict[str, str]:
    """Mention -> entity id or "new", for names of this call."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InvalidArgument(
            "entity_resolutions must be an object.",
            hint='Send {"Name": {"resolved_to": "ent_..."}} or "new".',
            field="entity_resolutions",
        )
    found = {}
    for mention, choice in value.items():
        here = f"entity_resolutions.{mention}"
        target = choice.get("resolved_to") if isinstance(choice, Mapping) else choice
        if name_key(str(mention)) not in known:
            raise InvalidArgument(
                f"{here} is not among the entities of this call.",
                hint="Resolve names that the call has.",
                field="entity_resolutions",
            )
        found[clean_name(mention, field=here)] = text.clean(
            target, field=f"{here}.resolved_to", limit=NAME_LIMIT, least=1
        )
    return found


def _list(value: object, field: str, limit: int) -> Sequence[object]:
    if value is None:
        return ()
    if not isinstance(value, (list, tuple)):
        raise InvalidArgument(
            f"{field} must be a list.", hint=f"Send {field} as [...].", field=field
        )
    if len(value) > limit:
        raise InvalidArgument(
            f"{field} has {len(value)} entries; the limit is {limit}.",
            hint="Send them in several calls.",
            field=field,
            details={"limit": limit},
        )
    return value


def _object(value: object, here: str, allowed: set[str]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InvalidArgument(
            f"{here} must be an object.",
            hint=f"Its keys: {', '.join(sorted(allowed))}.",
            field=here,
        )
    unknown = sorted(set(value) - allowed)
    if unknown:
        raise InvalidArgument(
            f"{here} has the unknown key {unknown[0]!r:.60}.",
            hint=f"Its keys: {', '.join(sorted(allowed))}.",
            field=f"{here}.{unknown[0]}"[:120],
        )
    return value


def _label(value: object, field: str, limit: int) -> str:
    return text.clean_label(value, field=field, limit=limit) or ""


def _weight(value: object, field: str) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1_000:
        raise InvalidArgument(
            f"{field} must be a number from 0 to 1,000.", hint="Leave it out for 1.", field=field
        )
    return float(value)


def _one_of(value: object, field: str, allowed: tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise InvalidArgument(
            f"{field} is {value!r:.60}.", hint=f"Choose one of {', '.join(allowed)}.", field=field
        )
    return value
