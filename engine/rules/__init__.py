"""The rules for common mistakes in blueprints: one module per rule or tight family, discovered by import.

`check` checks a file once. `Checker` checks it on every keystroke, and checks only the prompts that changed.
"""

from engine.rules.checker import Checker, check
from engine.rules.registry import ALL
from engine.rules.rule import FileView, PromptView, Report, Rule

__all__ = ["ALL", "Checker", "FileView", "PromptView", "Report", "Rule", "check"]
