"""What blueprints get wrong: one module per rule or tight family, found by being there.

`check` reports everything about a file once; `Checker` does so on every keystroke, at the cost of what changed.
"""

from engine.rules.checker import Checker, check
from engine.rules.registry import ALL
from engine.rules.rule import Report, Rule, Scope
from engine.rules.views import FileView, PromptView

__all__ = ["ALL", "Checker", "FileView", "PromptView", "Report", "Rule", "Scope", "check"]
