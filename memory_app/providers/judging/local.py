"""The judge that answers inside a request, by features."""

from __future__ import annotations

from collections.abc import Sequence

from memory_app.providers.judging.features import features_of
from memory_app.providers.judging.protocol import Embed, Pair, Verdict
from memory_app.providers.judging.scoring import calibration, feature_model


class FeaturesJudge:
    """Numpy only; one call of the embedder for the parts in which the pairs differ."""

    def __init__(self, *, embed: Embed) -> None:
        self._embed = embed
        self._model = feature_model()
        version, self._calibration = calibration("features")
        self.id = f"features:{version}"

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        if not pairs:
            return []
        found = features_of(pairs, self._embed)
        return self._calibration.verdicts([self._model.linear(found), self._model.boosted(found)])
