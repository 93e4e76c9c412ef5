"""Rules that are gone: their slugs and codes are never used again, and a suppression that names one is no mistake."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

RETIRED: Mapping[str, str] = MappingProxyType(
    {
        "slow-regex": "F013",
        "turns-joined": "F085",
        "beyond-token-limit": "F086",
        "function-in-should-not": "R012",
        "keyword-only": "R036",
        "answer-not-given": "R062",
        "polarity": "R063",
        "double-barrelled": "R064",
        "swallowed-block": "Y014",
    }
)
"""The codes of the retired rules by their slugs."""
