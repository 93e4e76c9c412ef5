"""All rules: how they are found, and how they are called.

A rule is one module in `pitfalls` with a tuple `RULES`; nothing else names it. The module's docstring holds the page
of each of its rules: a `# slug` heading, then the page.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType

from engine.rules import pitfalls
from engine.rules.rule import Rule
from engine.rules.rule_names import RuleNames


def rule_modules() -> Iterator[str]:
    """The names of the modules of the rules."""
    return (f"{pitfalls.__name__}.{module.name}" for module in pkgutil.iter_modules(pitfalls.__path__))


def discover() -> tuple[Rule, ...]:
    """Every rule of every module in `pitfalls`, sorted by code, each with its page."""
    modules = map(importlib.import_module, rule_modules())
    return tuple(sorted((rule for module in modules for rule in _rules_of(module)), key=lambda rule: rule.code))


def _rules_of(module: ModuleType) -> Iterator[Rule]:
    rules: tuple[Rule, ...] = module.RULES
    pages = pages_of(module.__doc__ or "")  # as it is: `inspect` would turn the tabs of an example into blanks
    for rule in rules:
        yield replace(rule, page=pages[rule.slug])


def pages_of(docstring: str) -> dict[str, str]:
    """The pages that a docstring holds, by the slug in the heading of each.

    Raises `ValueError` where it does not begin with a heading.
    """
    pages: dict[str, str] = {}
    slug = None
    for line in docstring.splitlines():
        if line.startswith("# "):
            slug = line.removeprefix("# ").strip()
            pages[slug] = ""
        if slug is None:
            raise ValueError("the docstring of a rule's module begins with `# slug`")
        pages[slug] += f"{line}\n"
    return {slug: page.strip() + "\n" for slug, page in pages.items()}


ALL: tuple[Rule, ...] = discover()
USUAL: tuple[Rule, ...] = tuple(rule for rule in ALL if not rule.off)
NAMES = RuleNames(tuple(rule.slug for rule in ALL), tuple(rule.code for rule in ALL))
_BY_NAME: Mapping[str, Rule] = {name: rule for rule in ALL for name in (rule.slug, rule.code.lower())}


def rule_named(name: str) -> Rule | None:
    """The rule of this slug or code, capitals or not."""
    return _BY_NAME.get(name.strip().lower())


def no_such_rule(name: str) -> str:
    """What to say of a name that no rule has, with the nearest ones."""
    near = NAMES.nearest(name)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`studio rules` lists them."
    return f"There is no rule “{name}”. {hint}"
