"""The sentence of an answer that is closest in meaning to each criterion: a place to look, not a verdict.

Only the order of the sentences counts. Closeness shows the topic of a sentence, but not whether it meets or contradicts
the criterion, so no figure leaves this package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from engine.blueprint import Prompt
from engine.closest_sentence.encoder import Encoder, Vector, closeness
from engine.closest_sentence.sentences import Sentence, sentences

Closest: TypeAlias = Mapping[int, Sentence | None]
"""The sentence by the index of a point in `Prompt.points()`; None if the answer has no readable sentence."""


def closest_sentences(prompt: Prompt, response: str, encoder: Encoder) -> Closest:
    """The closest sentence of `response` for each criterion of `prompt`; the first one in a tie.

    Criteria in other scripts than Latin are left out (see `is_readable`). Blocks. Raises `EncoderFailed`.
    """
    criteria = [
        (index, " ".join(point.text.split()))
        for index, point in enumerate(prompt.points())
        if point.text and is_readable(point.text)
    ]
    readable = [sentence for sentence in sentences(response) if is_readable(sentence.text)]
    if not readable:
        return {index: None for index, _ in criteria}
    vectors = encoder.encode([sentence.text for sentence in readable])
    targets = encoder.encode([text for _, text in criteria])
    return {
        index: readable[_closest_to(criterion, vectors)]
        for (index, _), criterion in zip(criteria, targets, strict=True)
    }


def _closest_to(criterion: Vector, vectors: Sequence[Vector]) -> int:
    return max(range(len(vectors)), key=lambda place: closeness(criterion, vectors[place]))


def is_readable(text: str) -> bool:
    """Whether at least half of the letters of `text` are Latin, or it has no letters.

    The encoder knows at most single letters of other scripts, so any two texts in them are close to each other.
    """
    letters = [each for each in text if each.isalpha()]
    return 2 * sum(each < "\u0250" or "\u1e00" <= each < "\u1f00" for each in letters) >= len(letters)
