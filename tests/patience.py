"""How long the program waits within tests: nothing is given up because the machine is busy with something else, and
nothing rests that only spares an author at work."""

from __future__ import annotations

import sys
from collections.abc import Collection

import pytest

SECONDS = 60.0
CHECKING_SECONDS = 2.0
"""What V8 may use for one checking: with less, a busy machine leaves patterns untried, and pictures say so."""
WAITS = (
    ("engine.files.open_files", "_SECONDS_TO_ANSWER"),
    ("engine.study.file_places", "_SECONDS"),
    ("engine.functions.v8", "_START_SECONDS"),
    ("engine.models.provider_registry", "_PROBE_SECONDS"),
    ("engine.files.user_settings", "_LOCK_SECONDS"),
    ("engine.files.open_files", "_SECONDS_TO_SAVE"),
    ("engine.files.user_settings", "_SECONDS_TO_ANSWER"),
    ("engine.files.user_settings", "_LOCK_SECONDS"),
    ("studio.session.unsaved_text", "_CLOSING_SECONDS"),
    ("studio.tui.app", "_BUILT_SECONDS"),
    ("studio.tui.type_ahead", "_LONGEST"),
)
"""Waits that end with what is waited for, by module and name. A test in which it never comes sets its own."""
RESTS = (
    ("engine.models.server", "_PAUSE_AFTER_FAILURE"),
    ("studio.session.analysis", "_OUTLINE_SECONDS"),
    ("studio.session.criterion_loop", "REST_SECONDS"),
    ("studio.session.case_file", "_SECONDS"),
    ("studio.session.next_step", "_REST_SECONDS"),
    ("studio.session.run_selection", "_HEADER_SECONDS"),
    ("studio.session.runs", "_PUBLISH_SECONDS"),
    ("studio.session.run_selection", "_SAVE_SECONDS"),
    ("studio.session.restored_answers", "_REST_SECONDS"),
)
"""Rests before work that a newer key, change or answer would make needless: none within tests. Each is read when it is
used. A test of a rest names its module: `@pytest.mark.rests("studio.session.run_selection")`."""


def be_patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the modules that are loaded wait for a minute, and V8 compute for longer."""
    if "engine.rules.checks" in sys.modules:
        monkeypatch.setattr(sys.modules["engine.rules.checks"], "CHECKING_SECONDS", CHECKING_SECONDS)
    for module, name in WAITS:
        if module in sys.modules:
            monkeypatch.setattr(sys.modules[module], name, SECONDS)


def rest_never(monkeypatch: pytest.MonkeyPatch, keeping: Collection[str] = ()) -> None:
    """Let the modules that are loaded not rest, but for those whose names are in `keeping`."""
    for module, name in RESTS:
        if module in sys.modules and module not in keeping:
            monkeypatch.setattr(sys.modules[module], name, 0.0)
