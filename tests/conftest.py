"""What every test relies on: no colour or theme from outside, and a home of its own for data, state and settings."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more of the machine than of the law. In CI hypothesis has a profile of its own.
settings.register_profile("patient", deadline=None)
if "CI" not in os.environ:
    settings.load_profile("patient")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """No variable of the caller changes a picture or answers for a key, and nothing is written to the real home."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TEXTUAL_THEME", "COLORTERM", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(home))
    return home
