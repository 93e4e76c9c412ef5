"""Trying and applying fixes of the open text, off the event loop. No widgets: every call may block for a moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from engine.diagnostics import Diagnostic, Fix
from engine.parsing.recognition import kind_of
from engine.rules.fixes.application import FixedText, apply_fixes, apply_one, safe_fix, same_choice
from engine.rules.fixes.trial import FixTrial
from engine.rules.selection import EVERYTHING
from engine.workspace.project_settings import Projects

if TYPE_CHECKING:
    from engine.javascript import JavaScript
    from engine.parsing import Parsed


class FixTrials:
    """Tries fixes on the newest text that was asked about, with the rules that the project of its file wants.

    What the rules say of that text is found once. Calls from several threads wait for each other.
    """

    def __init__(self, javascript: Callable[[], JavaScript], collections: Path | None) -> None:
        self._javascript = javascript
        self._collections = collections
        self._turn = Lock()
        self._newest: FixTrial | None = None

    def objection(self, parsed: Parsed, diagnostic: Diagnostic, fix: Fix) -> str:
        """What speaks against `fix`, "" where it cures."""
        with self._turn:
            return self._trial(parsed).outcome(diagnostic, fix).objection

    def one(self, parsed: Parsed, diagnostic: Diagnostic, fix: Fix) -> FixedText:
        """The text after `fix`, whether it cures or not."""
        with self._turn:
            return apply_one(self._trial(parsed).copy(), diagnostic, fix)

    def everywhere(self, parsed: Parsed, diagnostic: Diagnostic, fix: Fix) -> FixedText:
        """The text after the same choice for all reports of the rule, as far as it cures."""
        with self._turn:
            trial = self._trial(parsed).copy()
            return apply_fixes(trial, same_choice(fix, diagnostic, trial))

    def all_safe(self, parsed: Parsed) -> FixedText:
        """The text after the safe fixes of errors and warnings that cure."""
        with self._turn:
            return apply_fixes(self._trial(parsed).copy(), safe_fix)

    @staticmethod
    def is_blueprint(parsed: Parsed) -> bool:
        """Whether a file is not plainly something else, which nobody wants fixed as a blueprint."""
        return kind_of(parsed).may_be_fixed

    def _trial(self, parsed: Parsed) -> FixTrial:
        newest = self._newest
        if newest is None or newest.text != parsed.text or newest.parsed.path != parsed.path:
            choice = EVERYTHING if parsed.path is None else Projects().of(parsed.path).choice
            newest = FixTrial(
                parsed.text, parsed.path, self._javascript(), choice=choice, collections=self._collections
            )
            self._newest = newest
        return newest
