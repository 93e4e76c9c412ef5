"""All rules: how they are found, and how they are called.

A rule is one module with a tuple `RULES` in the package of its family; nothing else names it. The module's docstring
holds the page of each of its rules: a `# slug` heading, then the page. A module of a family without `RULES` is what
several rules of the family share.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import ModuleType

from engine.rules.rule import Rule
from engine.rules.rule_names import RuleNames

FAMILIES = (
    "yaml_traps",
    "structure",
    "prompts",
    "paths",
    "repetition",
    "negatives",
    "criteria",
    "citations",
    "weights",
    "functions",
    "patterns",
    "models",
    "tools",
    "services",
)
"""The packages of the families, in the order in which they are listed."""


def rule_modules() -> Iterator[str]:
    """The names of all modules of the families."""
    for family in FAMILIES:
        package = importlib.import_module(f"engine.rules.{family}")
        yield from (f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__))


def discover() -> tuple[Rule, ...]:
    """Every rule of every family, sorted by code, each with its family and its page."""
    modules = map(importlib.import_module, rule_modules())
    return tuple(sorted((rule for module in modules for rule in _rules_of(module)), key=lambda rule: rule.code))


def _rules_of(module: ModuleType) -> Iterator[Rule]:
    rules: tuple[Rule, ...] = getattr(module, "RULES", ())
    pages = pages_of(module.__doc__ or "") if rules else {}  # not `inspect`, which turns the tabs of examples to blanks
    for rule in rules:
        yield replace(rule, family=module.__name__.split(".")[-2], page=pages[rule.slug])


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


def family_title(family: str) -> str:
    """What the rules of a family are about, for a heading."""
    return (importlib.import_module(f"engine.rules.{family}").__doc__ or family).strip().removesuffix(".")


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
