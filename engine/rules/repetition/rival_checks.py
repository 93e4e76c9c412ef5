"""Two checks of which an answer passes one at the most: how it begins, and what it may not contain."""

from __future__ import annotations

import re
from functools import lru_cache

from engine import functions
from engine.functions.point_function import Quantifier, Target
from engine.patterns import lazy
from engine.rules.repetition.exclusion import PointRequirement

_PREFIX = lazy(r"\^(?:\\s\*|\\W\*)?(?P<text>(?:[\w ,;:'’-]|\\[.!()?*+])*)(?P<next>[?*+{]?)")
_SEARCHABLE = lazy(r"(?:[^\\^$()|?*+{}]|\\[dwsDWS.])+\+?")
"""Patterns without anchors and alternatives, which mean the same to `re`."""
_JSON_WORDS = ("true", "false", "null")
_SHORTEST = 1


def exclusive_checks(one: PointRequirement, other: PointRequirement) -> bool:
    """Whether no answer passes both checks."""
    if one.requirement.wanted and other.requirement.wanted:
        return _begin_differently(one, other)
    wanting, forbidding = (one, other) if one.requirement.wanted else (other, one)
    if not wanting.requirement.wanted or forbidding.requirement.wanted:
        return False
    pattern = _argument(forbidding, "matches", "imatches")
    text = _literal(wanting)
    if pattern is None or text is None or _SEARCHABLE.fullmatch(pattern) is None:
        return False
    return re.search(pattern, text, re.IGNORECASE if _ignores_case(forbidding) else re.NOFLAG) is not None


def _begin_differently(one: PointRequirement, other: PointRequirement) -> bool:
    first, second = _beginning(one), _beginning(other)
    if first is not None and second is not None:
        first, second = first.lower(), second.lower()
        return not first.startswith(second) and not second.startswith(first)
    for beginning, each in ((first, other), (second, one)):
        if beginning is not None and each.point.function is not None and _name(each) == "is_json":
            start = beginning.lstrip()
            return start[:1].isalpha() and not start.lower().startswith(_JSON_WORDS)
    return False


def _beginning(each: PointRequirement) -> str | None:
    """The text with which an answer has to begin; None if a check wants none."""
    text = _argument(each, "starts_with", "istarts_with")
    if text:
        return text
    pattern = _argument(each, "matches", "imatches")
    return None if pattern is None or not pattern.startswith("^") else _fixed_start(pattern)


@lru_cache(maxsize=500)
def _fixed_start(pattern: str) -> str | None:
    """The text with which every match of an anchored pattern begins."""
    found = _PREFIX.match(pattern)
    if found is None or "|" in pattern:
        return None
    text = re.sub(r"\\(.)", r"\1", found["text"])
    text = text[:-1] if found["next"] in ("?", "*", "{") else text
    return text if len(text) >= _SHORTEST else None


def _argument(each: PointRequirement, *names: str) -> str | None:
    call = each.point.function
    is_wanted = call is not None and _name(each) in names and isinstance(call.args, str)
    return call.args if call is not None and is_wanted and isinstance(call.args, str) else None


def _name(each: PointRequirement) -> str:
    call = each.point.function
    function = None if call is None else functions.find(call.name)
    return "" if function is None else function.name


def _literal(each: PointRequirement) -> str | None:
    """The literal that a check wants somewhere in the answer."""
    call = each.point.function
    function = None if call is None else functions.find(call.name)
    search = None if function is None else function.search
    if call is None or search is None or not search.is_literal or search.quantifier is not Quantifier.ONE:
        return None
    return call.args if search.target in (Target.TEXT, Target.WORD) and isinstance(call.args, str) else None


def _ignores_case(each: PointRequirement) -> bool:
    call = each.point.function
    return call is not None and "imatch" in call.name
