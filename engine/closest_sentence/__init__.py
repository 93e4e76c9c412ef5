"""The sentence of an answer that is closest to a criterion, found by a sentence encoder (all-MiniLM-L6-v2) on this
machine. It shows where to look; it is no verdict and has no number."""

from engine.closest_sentence.closest import Closest, closest_sentences
from engine.closest_sentence.encoder import Encoder, EncoderFailed, MiniLM, the_encoder, what_is_missing
from engine.closest_sentence.sentences import Sentence, sentences

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
]
