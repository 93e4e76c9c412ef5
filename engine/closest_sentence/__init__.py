"""Finds the sentence of an answer that is closest to a criterion, with a local sentence encoder (all-MiniLM-L6-v2).

The sentence shows the author where to look. It is not a verdict and has no number.
"""

from engine.closest_sentence.closest import Closest, closest_sentences
from engine.closest_sentence.encoder import Encoder, EncoderFailed, MiniLM, the_encoder, what_is_missing
from engine.closest_sentence.sentences import Sentence, sentences, whole_sentences

__all__ = [
    "Closest",
    "Encoder",
    "EncoderFailed",
    "MiniLM",
    "Sentence",
    "closest_sentences",
    "sentences",
    "the_encoder",
    "what_is_missing",
    "whole_sentences",
]
