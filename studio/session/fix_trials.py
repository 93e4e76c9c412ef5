"""Trying and applying fixes of the open text. Calls may block: make them off the event loop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from engine.parsing.recognition import kind_of
from engine.rules.fixes import FixedText, FixTrial, apply_fixes, apply_one, safe_fix, same_choice
from engine.rules.selection import EVERYTHING, SettingsCache
from engine.text.diagnostics import Diagnostic, Fix

if TYPE_CHECKING:
    from engine.functions.v8 import JavaScript
    from engine.parsing import Parsed


class FixTrials:
    """Tries fixes on a text with the rules of its project, and caches the diagnostics of the newest text.

    Calls from several threads wait for each other.
    """

    def __init__(self, javascript: Callable[[], JavaScript], collections: Path | None) -> None:
        self._javascript = javascript
        self._collections = collections
        self._lock = Lock()
        self._newest: FixTrial | None = None

    def objection(self, parsed: Parsed, diagnostic: Diagnostic, fix: Fix) -> str:
        """What speaks against `fix`; "" if it cures the problem."""
        with self._lock:
            return self._trial(parsed).outcome(diagnostic, fix).objection

    def one(self, parsed: Parsed, diagnostic: Diagnostic, fix: Fix) -> FixedText:
        """The text after `fix`, even if that does not cure the problem."""
        with self._lock:
            return apply_one(self._trial(parsed).copy(), diagnostic, fix)

    def everywhere(self, parsed: Parsed, diagnostic: Diagnostic, fix: Fix) -> FixedText:
        """The text after the same choice for all reports of the rule that it cures."""
        with self._lock:
            trial = self._trial(parsed).copy()
            return apply_fixes(trial, same_choice(fix, diagnostic, trial))

    def all_safe(self, parsed: Parsed) -> FixedText:
        """The text after the safe fixes of errors and warnings; those that do not cure are left out."""
        with self._lock:
            return apply_fixes(self._trial(parsed).copy(), safe_fix)

    @staticmethod
    def is_blueprint(parsed: Parsed) -> bool:
        """Whether the file may be fixed: not if it is plainly something else than a blueprint."""
        return kind_of(parsed).may_be_fixed

    def _trial(self, parsed: Parsed) -> FixTrial:
        newest = self._newest
        if newest is None or newest.text != parsed.text or newest.parsed.path != parsed.path:
            selection = EVERYTHING if parsed.path is None else SettingsCache().of(parsed.path).selection
            newest = FixTrial(
                parsed.text, parsed.path, self._javascript(), selection=selection, collections=self._collections
            )
            self._newest = newest
        return newest
