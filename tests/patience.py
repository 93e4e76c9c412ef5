"""How long the program waits within tests: nothing is given up because the machine is busy with something else."""

from __future__ import annotations

import sys

import pytest

SECONDS = 60.0
CHECKING_SECONDS = 2.0
"""What V8 may use for one checking: with less, a busy machine leaves patterns untried, and pictures say so."""
WAITS = (
    ("engine.author_files", "_SECONDS_TO_ANSWER"),
    ("engine.cases.case_places", "_SECONDS"),
    ("engine.javascript.process", "_START_SECONDS"),
    ("engine.providers.discovery", "_PROBE_SECONDS"),
    ("engine.workspace.cursors", "_LOCK_SECONDS"),
    ("engine.workspace.files", "_SECONDS_TO_SAVE"),
    ("engine.workspace.recent", "_SECONDS_TO_ANSWER"),
    ("engine.workspace.user_settings", "_LOCK_SECONDS"),
    ("studio.session.unsaved_text", "_CLOSING_SECONDS"),
    ("studio.tui.app", "_BUILT_SECONDS"),
    ("studio.tui.type_ahead", "_LONGEST"),
)
"""Waits that end with what is waited for, by module and name. A test in which it never comes sets its own."""


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the modules that are loaded wait for a minute, and V8 compute for longer."""
    if "engine.rules.javascript_cache" in sys.modules:
        monkeypatch.setattr(sys.modules["engine.rules.javascript_cache"], "CHECKING_SECONDS", CHECKING_SECONDS)
    for module, name in WAITS:
        if module in sys.modules:
            monkeypatch.setattr(sys.modules[module], name, SECONDS)
