"""Where tests find the encoder: its weights are too large to be fetched into each test's empty home."""

from __future__ import annotations

import pytest

from engine.closest_sentence import what_is_missing
from engine.models.weights import models_folder

INSTALLED_IN = models_folder().parent
needs_encoder = pytest.mark.skipif(
    what_is_missing() is not None,
    reason="the sentence encoder is not there: the README installs it, then run `studio models install`",
)
