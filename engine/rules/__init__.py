"""The pitfalls: one module per rule or tight family, found by being there.

`check` tells everything about a file once; `Checker` does so on every keystroke, at the cost of what changed.
"""

from engine.rules.checker import ALL, Checker, check, find
from engine.rules.registry import FileView, PromptView, Report, Rule, Scope

__all__ = ["ALL", "Checker", "FileView", "PromptView", "Report", "Rule", "Scope", "check", "find"]
