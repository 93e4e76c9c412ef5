"""Checks written almost as such, in every writing and place, and what fixes make of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from engine import functions
from engine.blueprint import FunctionCall, normal_function_name
from engine.parsing import Parsed, parse
from engine.rules import ALL, Checker
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import apply_edits
from engine.yaml.nodes import Data
from tests.thoroughness import THOROUGH, one_in

EVERY = Checker(ALL)
USUAL = Checker()
ORDINARY = {"call", "match", "contain", "external"}
"""The names that are also ordinary words, so that no fix of them is safe without a check's own sign."""
BESIDE = {"Says why", "Says that it is not known", "Asks where"}
JSON_FILE = Path("a.json")

ARGUMENTS: dict[str, tuple[str, Data]] = {
    "text": ("notary", "notary"),
    "word": ("notary", "notary"),
    "pattern": ("notar(y|ies)", "notar(y|ies)"),
    "[text, …]": ("[notary, clerk]", ["notary", "clerk"]),
    "[pattern, …]": ("[notary, clerk]", ["notary", "clerk"]),
    "[n, [text, …]]": ("[1, [notary, clerk]]", [1, ["notary", "clerk"]]),
    "[n, [pattern, …]]": ("[1, [notary, clerk]]", [1, ["notary", "clerk"]]),
    "[low, high]": ("[50, 100]", [50, 100]),
    "true": ("true", True),
    "JavaScript": ("r.length", "r.length"),
    "tool name": ("search", "search"),
    "{name, where}": ("{name: search, where: {q: x}}", {"name": "search", "where": {"q": "x"}}),
    "[low, high, name]": ("[1, 2, search]", [1, 2, "search"]),
    "[tool name, …]": ("[search, fetch]", ["search", "fetch"]),
    "{service: name, …} or {url: address, …}": ("{url: 'https://a.org/b'}", {"url": "https://a.org/b"}),
}
"""For each shape of an argument one that is sound: as it is written behind a name, and as it is read."""

NAMES = [(name, function) for function in functions.ALL for name in function.names]
SOME_NAMES = one_in(8, NAMES)

Writing = Callable[[str, str], str]

WITH_SIGN: dict[str, Writing] = {
    "no colon": lambda name, argument: f"${name} {argument}",
    "full-width colon": lambda name, argument: f"${name}：{argument}",
    "full-width colon and blank": lambda name, argument: f"${name}： {argument}",
    "no blank behind the colon": lambda name, argument: f"${name}:{argument}",
    "equals sign": lambda name, argument: f"${name} = {argument}",
    "semicolon": lambda name, argument: f"${name}; {argument}",
    "arrow": lambda name, argument: f"${name} -> {argument}",
    "brackets": lambda name, argument: f"${name}({argument})",
    "full-width dollar": lambda name, argument: f"＄{name} {argument}",
    "blank behind the dollar": lambda name, argument: f"$ {name} {argument}",
    "capitals": lambda name, argument: f"${name.capitalize()} {argument}",
    "upper case": lambda name, argument: f"${name.upper()}: {argument}",
    "hyphens": lambda name, argument: f"${name.replace('_', '-')} {argument}",
}
"""What one text with a `$` may look like, whole."""


def sound(function: functions.PointFunction) -> tuple[str, Data]:
    return ARGUMENTS[function.argument]


def in_block(item: str, key: str = "should") -> str:
    return f"- id: a\n  prompt: Who certifies it?\n  {key}:\n    - {item}\n    - Says why\n"


def in_path(item: str) -> str:
    return (
        "- id: a\n  prompt: Who certifies it?\n  should:\n"
        f"    - - {item}\n      - Says why\n    - - Says that it is not known\n      - Asks where\n"
    )


def quoted_in_block(item: str) -> str:
    return in_block(json.dumps(item, ensure_ascii=False))


def quoted_in_single(item: str) -> str:
    return in_block("'" + item.replace("'", "''") + "'", "should_not")


def quoted_in_path(item: str) -> str:
    return in_path(json.dumps(item, ensure_ascii=False))


def quoted_in_brackets(item: str) -> str:
    written = json.dumps(item, ensure_ascii=False)
    return f"- id: a\n  prompt: Who certifies it?\n  should: [{written}, Says why]\n"


def behind_text(item: str) -> str:
    return in_block(f"text: {json.dumps(item, ensure_ascii=False)}\n      weight: 2")


def in_block_scalar(item: str) -> str:
    return in_block(f"|\n      {item}")


PLACES: dict[str, Callable[[str], str]] = {
    "quoted": quoted_in_block,
    "single quotes under should_not": quoted_in_single,
    "expect": lambda item: in_block(json.dumps(item, ensure_ascii=False), "expect"),
    "points": lambda item: in_block(json.dumps(item, ensure_ascii=False), "points"),
    "path": quoted_in_path,
    "brackets": quoted_in_brackets,
    "behind text": behind_text,
    "block scalar": in_block_scalar,
}


def errors_of(text: str, path: Path | None = None) -> list[Diagnostic]:
    slugs = ("quoted-function", "unknown-function")
    found = EVERY.check(parse(text, path))
    return [each for each in found if each.slug in slugs and each.severity is Severity.ERROR]


def calls(parsed: Parsed) -> list[FunctionCall | None]:
    return [point.function for prompt in parsed.blueprint.prompts for point in prompt.points()]


def texts(parsed: Parsed) -> list[str | None]:
    return [point.text for prompt in parsed.blueprint.prompts for point in prompt.points()]


def fixed(text: str, found: Diagnostic, path: Path | None = None) -> list[Parsed]:
    return [parse(apply_edits(text, fix.edits), path) for fix in found.fixes]


def made_texts(text: str, path: Path | None = None) -> list[str]:
    """The points in words that any fix of any rule makes of something else, but for those that stand beside it."""
    before = parse(text, path)
    known = {*texts(before), *BESIDE}
    fixes = [fix for found in EVERY.check(before) for fix in found.fixes]
    after = [texts(parse(apply_edits(text, fix.edits), path)) for fix in fixes]
    return [each for made in after for each in made if each is not None and each not in known]


def together(items: list[str], place: Callable[[str], str]) -> str:
    """One file with a prompt for each of `items`."""
    return "".join(place(item).replace("id: a", f"id: a{index}", 1) for index, item in enumerate(items))


def every(
    writing: Writing, names: Sequence[tuple[str, functions.PointFunction]] = SOME_NAMES
) -> tuple[list[str], list[tuple[functions.PointFunction | None, object]]]:
    """Each of `names` in one writing, and the check that each of them means."""
    items = [writing(name, sound(function)[0]) for name, function in names]
    return items, [meant(name, sound(function)[1]) for name, function in names]


def names_at(place: str, places: Collection[str]) -> Sequence[tuple[str, functions.PointFunction]]:
    """The names that are tried at one of `places`: other ones at each."""
    return NAMES if THOROUGH else NAMES[list(places).index(place) :: 4 * len(places)]


def by_fixes(text: str, found: list[Diagnostic], path: Path | None = None) -> Parsed:
    """`text` with the only fix of each of `found` applied."""
    fixes = [fix for each in found for fix in each.fixes]
    assert len(fixes) == len(found)
    return parse(apply_edits(text, [edit for fix in fixes for edit in fix.edits]), path)


def checks(parsed: Parsed) -> list[tuple[functions.PointFunction | None, object]]:
    return [call for call in map(written, calls(parsed)) if call is not None]


def meant(name: str, argument: Data) -> tuple[functions.PointFunction | None, Data]:
    return functions.find(normal_function_name(name)), argument


def written(call: FunctionCall | None) -> tuple[functions.PointFunction | None, object] | None:
    return None if call is None else (functions.find(call.name), call.args)


ITEMS: dict[str, Callable[[str], str]] = {
    "should": in_block,
    "should_not": lambda item: in_block(item, "should_not"),
    "expectations": lambda item: in_block(item, "expectations"),
    "path": in_path,
    "brackets": lambda item: f"- id: a\n  prompt: Who certifies it?\n  should: [{item}, Says why]\n",
}


def errors_and_yaml(text: str) -> list[Diagnostic]:
    return [each for each in USUAL.check(parse(text)) if each.severity is Severity.ERROR]
