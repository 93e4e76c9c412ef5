"""The sentence of an answer that is closest in meaning to each criterion: a place to look, and no verdict.

Only the order of the sentences counts. How close one comes tells what it is about, and not whether it says so or the
opposite, so no figure leaves this package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from engine.blueprint import Prompt
from engine.closest_sentence.encoder import Encoder, Vector, closeness
from engine.closest_sentence.sentences import Sentence, sentences

Closest: TypeAlias = Mapping[int, Sentence | None]
"""By the place of a text point in `Prompt.points()`: the sentence, None where the answer has none that can be read."""


def closest_sentences(prompt: Prompt, response: str, encoder: Encoder) -> Closest:
    """The closest sentence of the text `response` for each point of `prompt` in words; the first of several.

    A criterion that is not in Latin letters is missing (`is_read`). Blocks; raises `EncoderFailed`.
    """
    criteria = [
        (index, " ".join(point.text.split()))
        for index, point in enumerate(prompt.points())
        if point.text and is_read(point.text)
    ]
    read = [sentence for sentence in sentences(response) if is_read(sentence.text)]
    if not read:
        return {index: None for index, _ in criteria}
    vectors = encoder.encode([sentence.text for sentence in read])
    wanted = encoder.encode([text for _, text in criteria])
    return {
        index: read[_closest_to(criterion, vectors)] for (index, _), criterion in zip(criteria, wanted, strict=True)
    }


def _closest_to(criterion: Vector, vectors: Sequence[Vector]) -> int:
    return max(range(len(vectors)), key=lambda place: closeness(criterion, vectors[place]))


def is_read(text: str) -> bool:
    """Whether most letters of `text` are Latin, or it has none.

    The encoder knows single letters of other scripts at most, and any two texts in them are close to each other.
    """
    letters = [each for each in text if each.isalpha()]
    return 2 * sum(each < "\u0250" or "\u1e00" <= each < "\u1f00" for each in letters) >= len(letters)
