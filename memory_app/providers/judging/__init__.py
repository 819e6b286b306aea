"""Judges: is a new statement a duplicate of an older one, does it supersede it, or neither?"""

from __future__ import annotations

from typing import Any

from memory_app.domain.errors import Unavailable
from memory_app.providers.judging.protocol import Embed, Judge, NoJudge, Pair, Relation, Verdict

__all__ = ["Embed", "Judge", "NoJudge", "Pair", "Relation", "Verdict", "build_judge"]


def build_judge(kind: str, *, embed: Embed, **options: Any) -> Judge:
    """A judge of that kind: `ensemble`, `features`, `none` or `llm`. Loads its model at first use.

    `ensemble` takes `cache` (folder for its graph); `llm` takes `base`, `model`, `key`, `timeout`
    and `client`. `embed` is for judges that look at parts of a statement; none of these does. The
    calibration of the local judges is that of MiniLM's cosines.
    """
    if kind == "none":
        return NoJudge()
    if kind == "llm":
        from memory_app.providers.judging.language_model import LanguageModelJudge

        return LanguageModelJudge(**options)
    if kind in ("ensemble", "features"):
        from memory_app.providers.judging.local import EnsembleJudge, FeaturesJudge

        if kind == "features":
            return FeaturesJudge()
        return EnsembleJudge(**options)
    raise Unavailable(f"JUDGE={kind!r} is not known.", hint="Use ensemble, features, llm or none.")
