"""Estimates of points in words by closeness of meaning: shown beside a score, never in it.

The embedded sentence encoder (all-MiniLM-L6-v2) says how near each sentence of an answer comes to a criterion. That
tells what an answer speaks of. It does not tell whether it says the criterion or the opposite; `engine.estimating.page`
has the figures.
"""

from engine.estimating.encoder import Encoder, EncoderFailed, MiniLM, the_encoder, what_is_missing
from engine.estimating.estimate import Estimate, PointEstimate, estimate
from engine.estimating.sentences import Sentence, sentences

__all__ = [
    "Encoder",
    "EncoderFailed",
    "Estimate",
    "MiniLM",
    "PointEstimate",
    "Sentence",
    "estimate",
    "sentences",
    "the_encoder",
    "what_is_missing",
]
