"""Rules that are gone: their slugs and codes are never used again, and a suppression that names one is no mistake."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

RETIRED: Mapping[str, str] = MappingProxyType({"swallowed-block": "Y014"})
"""The codes of the retired rules by their slugs."""
