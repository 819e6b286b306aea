"""The judges that answer inside a request: features alone, or with our small cross-encoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from memory_app.providers.judging.cross_encoder import CrossEncoder
from memory_app.providers.judging.features import features_of
from memory_app.providers.judging.hedging import against, hedged, outlooks
from memory_app.providers.judging.protocol import Pair, Verdict
from memory_app.providers.judging.scoring import calibration, feature_model, verdicts

# How far ahead "unrelated" must be, in the mixture's own measure and with what the wording takes
# from the others, for the encoder not to be asked.
# Of 6,500 pairs it brought none beyond this above 0.4, and no verdict counts below 0.6.
_DECIDED = 2.0


class FeaturesJudge:
    """Numpy only, 0.6 ms of CPU a pair."""

    def __init__(self) -> None:
        self._model = feature_model()
        version, self._calibration = calibration("features")
        self.id = f"features:{version}"

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        if not pairs:
            return []
        found = features_of(pairs)
        sources = [self._model.linear(found), self._model.boosted(found)]
        return verdicts(hedged(pairs, outlooks(pairs), self._calibration.mixed(sources)))


class EnsembleJudge:
    """The features and the cross-encoder, weighted together. 3 ms of CPU a pair more, where the
    features and the wording leave something to decide.
    """

    def __init__(self, *, cache: Path | None = None) -> None:
        self._model = feature_model()
        self._encoder = CrossEncoder(cache=cache)
        version, self._calibration = calibration("ensemble")
        self.id = f"ensemble:{version}"

    def judge(self, pairs: Sequence[Pair]) -> list[Verdict]:
        if not pairs:
            return []
        found = features_of(pairs)
        linear, boosted = self._model.linear(found), self._model.boosted(found)
        read = np.zeros_like(linear)
        looks = outlooks(pairs)
        open_ = self._calibration.margin([linear, boosted], against(looks)) < _DECIDED
        if open_.any():
            asked = [(pair.old, pair.new) for pair, left in zip(pairs, open_, strict=True) if left]
            read[open_] = self._encoder.scores(asked)
        return verdicts(hedged(pairs, looks, self._calibration.mixed([linear, boosted, read])))
