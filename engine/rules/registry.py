"""The registry of rules: discovers them and finds them by name.

The modules of a family define its rules; nothing else lists them. The docstring of a module holds the
page of each of its rules: a heading `# slug` or `# slug: Title`, then the text. A module without rules holds code that
rules share.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from types import ModuleType

from engine.rules.rule import ROWS, Rule, RuleNames, RuleRow
from engine.text import replace

FAMILIES = {
    "yaml_traps": "Text that YAML does not read as it looks",
    "structure": "Keys, values and parts of a file that are not what Weval expects",
    "prompts": "Prompts: ids, messages, and what a prompt lacks",
    "paths": "Alternative paths",
    "repetition": "Points and paths that repeat or contradict each other",
    "negatives": "Points that say what an answer must not do",
    "criteria": "Criteria: their wording, citations and weights",
    "functions": "Point functions and their arguments",
    "patterns": "Regular expressions",
    "models": "Models and judges",
    "tools": "Tools and services: their declaration, and the checks and limits that name them",
}
"""The subjects of the families, which are packages or modules, in the order in which the reference lists them."""


def rule_modules() -> Iterator[str]:
    """The names of all modules of the families."""
    for family in FAMILIES:
        module = importlib.import_module(f"engine.rules.{family}")
        inner = pkgutil.iter_modules(module.__path__) if hasattr(module, "__path__") else ()
        yield from [f"{module.__name__}.{each.name}" for each in inner] or [module.__name__]


def discover() -> tuple[Rule, ...]:
    """Every rule of every family, sorted by code, each with its family and its module."""
    modules = map(importlib.import_module, rule_modules())
    return tuple(sorted((rule for module in modules for rule in rules_of(module)), key=lambda rule: rule.code))


def rules_of(module: ModuleType) -> Iterator[Rule]:
    """The rules that a module defines, in their order there, each with its family and its module."""
    for rule in vars(module).values():
        if isinstance(rule, Rule):
            yield replace(rule, family=module.__name__.split(".")[2], module=module.__name__)


ALL: tuple[Rule, ...] = discover()
USUAL: tuple[Rule, ...] = tuple(rule for rule in ALL if not rule.off)


RETIRED = tuple(row for row in ROWS.values() if row.level is None)
"""All rules that are gone."""
NAMES = RuleNames(
    tuple(rule.slug for rule in ALL),
    tuple(rule.code for rule in ALL) + tuple(name for each in RETIRED for name in (each.slug, each.code)),
)
_BY_NAME: Mapping[str, Rule] = {name: rule for rule in ALL for name in (rule.slug, rule.code.lower())}


def rule_named(name: str) -> Rule | None:
    """The rule with this slug or code; case does not matter."""
    return _BY_NAME.get(name.strip().lower())


def no_such_rule(name: str) -> str:
    """The message for a name that no rule has, with the nearest slugs."""
    near = NAMES.nearest(name)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`studio rules` lists them."
    return f"There is no rule “{name}”. {hint}"


def retired_named(name: str) -> RuleRow | None:
    """The rule that is gone and had this slug or code; case does not matter."""
    return next((row for row in RETIRED if NAMES.spelled(name) in (row.slug, row.code)), None)


def retirement(row: RuleRow) -> str:
    """What is said of a rule that is gone, by its name, in the reference."""
    after = f" {row.why} takes its place." if row.why else ""
    gone = f"{row.slug} ({row.code}) has been retired since {row.since}: it reports nothing,"
    return f"{gone} and where it is named nothing is wrong.{after}"
