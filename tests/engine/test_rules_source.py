"""Writing YAML into an author's file, finding places in it, and the spelling of names."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.functions.v8 import JavaScript
from engine.parsing import Parsed, parse, weval_config
from engine.rules import ALL, Checker, Rule, check
from engine.rules.fixes import fix_text
from engine.rules.registry import USUAL, discover, rule_modules, rules_of
from engine.rules.rule import docstring_of, one_letter_off, pages_in, reference_page
from engine.rules.selection import Level, RuleSelection
from engine.rules.suppression import suppressing_edit
from engine.text.spans import Span
from engine.yaml.layout import quoted, source_offset
from engine.yaml.nodes import ScalarNode
from engine.yaml.tree_loader import load
from tests.many_cases import every
from tests.world import NO_SHARED, SHARED

# Writing YAML into an author's file, finding places in it, and the spelling of names


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
PRINTABLE = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=20)


def scalar(source: str) -> ScalarNode:
    root = load(source).documents[0].root
    assert isinstance(root, ScalarNode)
    return root


@given(TEXTS)
def test_a_quoted_text_reads_as_exactly_this_text(text: str) -> None:
    assert scalar(quoted(text)).value == text


@given(PRINTABLE, st.data())
def test_a_character_in_single_quotes_is_found_in_the_source(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text) - 1))
    source = "'" + text.replace("'", "''") + "'"
    place = source_offset(source, scalar(source), at)
    assert place is not None
    assert source[place] == text[at]


@every(
    ("source", "offset", "place"),
    [
        ('"a\\\\d(b"', 3, 5),
        ('"\\x41b"', 1, 5),
        ('"\\u00e9b"', 1, 7),
        ('"a"', 1, 2),
        ("plain", 2, 2),
        ("a plain\n  text", 2, None),
        ("|\n  block\n", 0, 4),
        ("|2\n    a\n\n  bc\n", 7, 12),
        (">\n  block\n", 0, None),
    ],
)
def test_a_character_is_found_behind_escapes(source: str, offset: int, place: int | None) -> None:
    assert source_offset(source, scalar(source), offset) == place


@given(st.text(max_size=8), st.text(max_size=8))
def test_being_one_letter_off_does_not_depend_on_the_order(one: str, other: str) -> None:
    assert one_letter_off(one, other) == one_letter_off(other, one)


# The reference pages keep their word: the bad example of each rule is told of, the good one is not


NAMED = re.compile(r"# (blueprints/\S+\.yml)\n")
EXAMPLE = r"^{}:\n\n((?:    .*\n|\n)+)"

SEEDS = SHARED / "seeds"
DOCUMENTS = {
    "Blueprint format": "002",
    "The `should` system": "000",
    "The `points` system": "003",
    "Blueprint repository": "004",
}
"""The titles by which pages name Weval's documents, and the numbers of their files."""

_JARGON = """
    ascii attributes bound boundary circular dollar drowned echoed extracted falsy fragile inline js legacy
    literal lone lost nesting outweighs ref regex reserved scalar shadowed stray substring swallowed tuple
    unescaped unstable vacuous
"""
JARGON = frozenset(_JARGON.split())
"""Words of programmers and of this project that authors of blueprints need not know."""

_PART = re.compile(r'(?:`[^`]*`|"(?:[^"`]|`[^`]*`)*"|[^,;`"])+')
_REFERENCE = re.compile(r'(?:`[^`]*`|"[^"]*"|[^;`"])+')
_NUMBERED = re.compile(r"(.+?) (\d+(?: and \d+)*)")


def document_parts(rule: Rule) -> list[tuple[str, list[str]]]:
    """The references of a page: the title of a document, and the sections, numbers, fields and quotations in it."""
    line = re.search(r"^Documents: (.+(?:\n.+)*)", rule.page, re.MULTILINE)
    assert line is not None
    text = re.split(r"\.(?:\s|$)", " ".join(line[1].split()))[0]
    references = [[part.strip() for part in _PART.findall(found)] for found in _REFERENCE.findall(text)]
    return [(parts[0], parts[1:]) for parts in references]


def missing_part(title: str, parts: list[str]) -> str | None:
    """The first of `parts` that the document does not have: each is looked for below the section before it."""
    (file,) = SEEDS.glob(f"{DOCUMENTS[title]}_*.txt")
    text = file.read_text()
    for part in parts:
        numbered = _NUMBERED.fullmatch(part)
        name = (part if numbered is None else numbered[1]).strip('"')
        at = max(text.find(name), text.find(name.strip("`")))
        if at < 0:
            return part
        if part[0] not in '`"':
            text = text[at:]
        numbers = () if numbered is None else numbered[2].split(" and ")
        if any(not re.search(rf"^(?:\*\*)?{number}\.\s", text, re.MULTILINE) for number in numbers):
            return part
    return None


def commentable(parsed: Parsed, span: Span) -> int:
    """Where a comment for a problem at `span` goes: at its line, or above the text of several lines that holds it."""
    edit = suppressing_edit(parsed.tree, span, "slug")
    return span.start if edit is None else min(edit.span.start, span.start)


def suppressed_text(text: str, offset: int, slug: str) -> str:
    """`text` with a suppression above the line at `offset`, as indented as that line."""
    start = text.rfind("\n", 0, offset) + 1
    indent = re.match(" *", text[start:])
    assert indent is not None
    return f"{text[:start]}{indent[0]}# studio: ignore[{slug}] it is meant\n{text[start:]}"


MENDED = [rule for rule in ALL if re.search(r"^Fix \(safe", rule.page, re.MULTILINE)]


def example(rule: Rule, heading: str) -> str:
    found = re.search(EXAMPLE.format(heading), rule.page, re.MULTILINE)
    assert found is not None
    return textwrap.dedent(found[1]).strip() + "\n"


def read(rule: Rule, heading: str) -> Parsed:
    """The example as the file that its first line names, where it names one."""
    text = example(rule, heading)
    named = NAMED.match(text)
    return parse(text, None if named is None else Path(named[1]))


def told_with(rule: Rule) -> Checker:
    """The usual rules, and this one where it is off."""
    return Checker((*USUAL, rule) if rule.off else USUAL)


MODULES = [module for name in rule_modules() if list(rules_of(module := importlib.import_module(name)))]


@every("module", MODULES, ids=lambda module: module.__name__)
def test_a_module_has_a_page_for_each_of_its_rules_and_for_no_other(module: ModuleType) -> None:
    written = {rule.slug for rule in rules_of(module) if not rule.written_page}
    assert (set(pages_in(module.__name__)) if written else set()) == written


def test_the_docstring_of_a_module_is_what_its_source_says() -> None:
    for module in MODULES:
        written = ast.get_docstring(ast.parse(inspect.getsource(module)), clean=False)
        assert written is not None
        assert docstring_of(module.__name__) == written.strip()


@pytest.mark.parametrize("kept", [inspect.cleandoc, lambda _: None], ids=["as Python 3.13", "as -OO"])
def test_pages_do_not_depend_on_how_python_keeps_docstrings(
    kept: Callable[[str], str | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [rule.page for rule in ALL]
    assert any("\t" in page for page in before)
    for name in rule_modules():
        module = importlib.import_module(name)
        monkeypatch.setattr(module, "__doc__", kept(module.__doc__ or ""))
    pages_in.cache_clear()
    assert [rule.page for rule in discover()] == before


@every("module", [each for each in MODULES if len(list(rules_of(each))) == 1], ids=lambda each: each.__name__)
def test_a_module_of_one_rule_is_named_after_it_or_after_its_family(module: ModuleType) -> None:
    [rule] = rules_of(module)
    assert module.__name__.rpartition(".")[2] in (rule.slug.replace("-", "_"), rule.family)


def test_every_module_that_reads_like_a_page_is_a_rule() -> None:
    modules = [importlib.import_module(name) for name in rule_modules()]
    with_pages = [each for each in MODULES if not all(rule.written_page for rule in rules_of(each))]
    assert [each for each in modules if (each.__doc__ or "").startswith("# ")] == with_pages


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_the_bad_example_shows_nothing_else_that_is_wrong(rule: Rule, javascript: JavaScript) -> None:
    found = check(read(rule, "Bad"), javascript)
    allowed = {rule.slug, "no-rubric", "not-written-yet", "unstable-prompt-id", "vacuous-point"}
    allowed |= {"wrong-type"} if rule.slug == "refused-by-weval" else set()  # it stands for whatever else is refused
    assert {one.slug for one in found} <= allowed


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_the_good_example_is_read_by_weval_and_does_not_fire_its_rule(rule: Rule, javascript: JavaScript) -> None:
    good = read(rule, "Good")
    assert rule.slug not in {found.slug for found in told_with(rule).check(good, javascript)}
    assert good.weval.error is None


@every("rule", MENDED, ids=lambda rule: rule.slug)
def test_a_safe_fix_makes_of_the_bad_example_what_the_good_one_says(rule: Rule, javascript: JavaScript) -> None:
    alone = RuleSelection(select=frozenset({rule.code}), levels=((rule.code, Level.ERROR),))
    mended = fix_text(example(rule, "Bad"), None, javascript, selection=alone).parsed
    assert weval_config(mended) == weval_config(parse(example(rule, "Good")))


@pytest.mark.skipif(not SEEDS.is_dir(), reason=NO_SHARED)
@every("rule", ALL, ids=lambda rule: rule.slug)
def test_a_page_names_parts_that_the_document_has(rule: Rule) -> None:
    assert [part for title, parts in document_parts(rule) if (part := missing_part(title, parts))] == []


@every("rule", [rule for rule in ALL if rule.title or JARGON & set(rule.slug.split("-"))], ids=lambda rule: rule.slug)
def test_a_title_is_a_short_phrase_in_plain_words_and_a_slug_of_jargon_has_one(rule: Rule) -> None:
    assert 0 < len(rule.title) <= 55
    assert rule.title[0].isupper()
    assert not rule.title.endswith(".")
    assert not JARGON & set(re.findall(r"[a-z]+", rule.title.lower()))


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_a_page_is_headed_by_title_and_slug_and_says_how_to_suppress(rule: Rule) -> None:
    page = reference_page(rule)
    assert page.startswith(f"# {rule.title} ({rule.slug})\n\n" if rule.title else f"# {rule.slug}\n\n")
    assert page.count("\nSuppress: ") == 1


@every("rule", [rule for rule in ALL if rule.slug != "unused-suppression"], ids=lambda rule: rule.slug)
def test_what_the_page_says_suppresses_the_bad_example(rule: Rule, javascript: JavaScript) -> None:
    parsed, checker = read(rule, "Bad"), told_with(rule)
    before = [one for one in checker.check(parsed, javascript) if one.slug == rule.slug]
    suppressed = suppressed_text(parsed.text, commentable(parsed, before[0].span), rule.slug)
    after = checker.check(parse(suppressed, parsed.path), javascript)
    assert sum(one.slug == rule.slug for one in after) < len(before)
    whole = parse(f"# studio: ignore-file[{rule.slug}] it is meant\n{parsed.text}", parsed.path)
    assert rule.slug not in {one.slug for one in checker.check(whole, javascript)}


@every("rule", ALL, ids=lambda rule: rule.slug)
def test_a_page_says_what_why_how_to_mend_and_where_it_is_written(rule: Rule) -> None:
    assert re.match(rf"# {rule.slug}(?:: \S.*)?\n\n", rule.page)
    assert re.search(r"^Fix\b.*[:(,]", rule.page, re.MULTILINE)
    assert {title for title, _ in document_parts(rule)} <= set(DOCUMENTS)
    assert not re.search(r"(?<![\d,.])00[0234]\b", rule.page)
    assert rule.summary.endswith((".", ":"))
    assert re.fullmatch(r"[YSRF]\d{3}", rule.code)
