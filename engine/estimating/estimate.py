"""`Estimate`: what points in words would amount to, by closeness of meaning. It is no assessment, and never in a score.

DESIGN, law 4: an estimate leaves the bounds open, is printed as "≈ 43, an estimate", and takes no part in the causes of
a low score or in the blueprint's score. Nothing here makes an `Assessment`.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

from engine.blueprint import Prompt
from engine.estimating.encoder import Encoder, Vector, closeness
from engine.estimating.extent import extent_of, is_read
from engine.estimating.sentences import Sentence, sentences
from engine.record import replace
from engine.scoring.aggregation import PointExtent, score_of
from engine.scoring.assessment import Assessment
from engine.scoring.placing import place


@dataclass(frozen=True, slots=True)
class PointEstimate:
    """One point in words: how near the closest sentence comes (0–1), and what that would amount to.

    `closest` is None where the answer has no sentence. `extent` is 0–1 after inversion, as an assessment's is.
    """

    closest: Sentence | None
    closeness: float
    extent: float


@dataclass(frozen=True, slots=True)
class Estimate:
    """What can be estimated of one answer: the points in words by their place in `Prompt.points()`, and how near the
    whole answer comes to the prompt's ideal (0–1; None without one, or where the answer is the ideal).

    What is not in Latin letters is not estimated (`is_read`): a point in words that is missing here has no estimate.
    """

    points: Mapping[int, PointEstimate]
    to_ideal: float | None = None

    def score(self, assessments: Sequence[Assessment]) -> float | None:
        """The score (0–1) that there would be if each point in words that nobody assessed counted as estimated.

        `assessments` are those of the same answer, in the order of `Prompt.points()`. None where nothing is open, for
        then there is a score and nothing to estimate; and where an open point has no estimate.
        """
        extents = [PointExtent.of(assessment) for assessment in assessments]
        wanted = [
            index
            for index, known in enumerate(extents)
            if known.extent is None and assessments[index].point.text is not None
        ]
        if not wanted or not all(index in self.points for index in wanted):
            return None
        for index in wanted:
            extents[index] = replace(extents[index], extent=self.points[index].extent)
        return score_of(extents)


def estimate(prompt: Prompt, response: str, encoder: Encoder) -> Estimate:
    """Estimate the points in words of `prompt` for the text `response`. Blocks; raises `EncoderFailed`."""
    asked = [
        (index, placed.inverted, " ".join(placed.point.text.split()))
        for index, placed in enumerate(place(prompt))
        if placed.point.text and is_read(placed.point.text)
    ]
    everything = sentences(response)
    said = [sentence for sentence in everything if is_read(sentence.text)]
    if everything and not said:
        return Estimate({})
    vectors = encoder.encode([sentence.text for sentence in said])
    criteria = encoder.encode([text for _, _, text in asked])
    points = {
        index: _point(criterion, said, vectors, inverted=inverted)
        for (index, inverted, _), criterion in zip(asked, criteria, strict=True)
    }
    ideal = prompt.ideal if prompt.ideal and prompt.ideal.strip() != response.strip() else None
    return Estimate(points, to_ideal(response, ideal, encoder) if ideal and is_read(ideal) else None)


def _point(criterion: Vector, said: Sequence[Sentence], vectors: Sequence[Vector], *, inverted: bool) -> PointEstimate:
    near = [closeness(criterion, vector) for vector in vectors]
    best = max(range(len(near)), key=near.__getitem__, default=None)
    if best is None:
        return PointEstimate(None, 0.0, extent_of(0.0, inverted=inverted))
    return PointEstimate(said[best], near[best], extent_of(near[best], inverted=inverted))


def to_ideal(response: str, ideal: str, encoder: Encoder) -> float:
    """How near two whole texts come to each other, 0–1; 0 where one is empty. Blocks; raises `EncoderFailed`."""
    one, other = _whole(response, encoder), _whole(ideal, encoder)
    return 0.0 if one is None or other is None else closeness(one, other)


def _whole(text: str, encoder: Encoder) -> Vector | None:
    """The direction of a whole text: the mean of its sentences by their length. None of an empty one."""
    said = sentences(text)
    if not said:
        return None
    vectors = encoder.encode([sentence.text for sentence in said])
    total = [0.0] * len(vectors[0])
    for sentence, vector in zip(said, vectors, strict=True):
        weight = len(sentence.text)
        total = [before + weight * part for before, part in zip(total, vector, strict=True)]
    length = sqrt(sum(part * part for part in total))
    return array("f", (part / length for part in total)) if length > 0 else None
