"""What holds for any text: what is said lies inside it, places cover what they claim, safe fixes keep their promise."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from engine.parsing import parse, weval_config
from engine.parsing.demands import Kind
from engine.rules import ALL, check
from engine.rules.fixes import FixedProblem, FixTrial, fix_text
from engine.rules.selection import RuleSelection
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import Span, apply_edits
from engine.yaml.nodes import AliasNode, Data, MappingNode, Node, ScalarNode, SequenceNode, to_data
from engine.yaml.tree_loader import load
from tests.many_cases import every
from tests.pieces import pieces
from tests.thoroughness import one_in
from tests.world import corpus_files, needs_corpus

BLUEPRINTS = st.lists(st.sampled_from(pieces("lines of a blueprint")), max_size=12).map("\n".join)
ANY_TEXT = BLUEPRINTS | st.text(max_size=60) | st.text("-:#'\"[]{}|>&*!%@`,? \t\r\n$ab1é😀\u2028", max_size=40)


def places(diagnostic: Diagnostic) -> Iterator[Span]:
    yield diagnostic.span
    yield from (related.span for related in diagnostic.related)
    yield from (edit.span for fix in diagnostic.fixes for edit in fix.edits)


# Any text parses or yields a diagnostic inside the text


@given(ANY_TEXT, st.sampled_from([None, Path("x.json")]))
def test_all_that_is_said_of_a_text_lies_inside_it(text: str, path: Path | None) -> None:
    spans = [span for diagnostic in check(parse(text, path)) for span in places(diagnostic)]
    assert [span for span in spans if not 0 <= span.start <= span.end <= len(text)] == []


@given(ANY_TEXT, st.sampled_from([None, Path("x.json")]))
def test_a_text_is_read_by_weval_or_told_why_not(text: str, path: Path | None) -> None:
    parsed = parse(text, path)
    told = [each for each in check(parsed) if each.severity is Severity.ERROR or each.flagged]
    unwritten = [each for each in parsed.findings if each.kind is Kind.NOT_WRITTEN]  # said when it is run
    assert parsed.weval.ok or told or unwritten


# A slice reads again as the value that was read from it


def nodes(node: Node) -> Iterator[ScalarNode | SequenceNode | MappingNode]:
    """`node` and all below it, but those that hold an alias, whose anchor may stand elsewhere."""
    match node:
        case AliasNode():
            return
        case SequenceNode():
            inner = node.items
        case MappingNode():
            inner = tuple(part for pair in node.pairs for part in (pair.key, pair.value))
        case ScalarNode():
            inner = ()
    if not holds_alias(node):
        yield node
    for each in inner:
        yield from nodes(each)


def holds_alias(node: Node) -> bool:
    match node:
        case AliasNode():
            return True
        case SequenceNode():
            return any(map(holds_alias, node.items))
        case MappingNode():
            return any(holds_alias(pair.key) or holds_alias(pair.value) for pair in node.pairs)
        case ScalarNode():
            return False


def read_again(text: str, node: Node) -> Data:
    """The value of the node's own slice: a scalar as the value of a key, a collection with the margin that it has."""
    if isinstance(node, ScalarNode):
        root = load(f"k: {node.span.of(text)}").documents[0].root
        assert isinstance(root, MappingNode)
        return to_data(root.pairs[0].value)
    margin = " " * (node.span.start - text.rfind("\n", 0, node.span.start) - 1)
    root = load(f"{margin}{node.span.of(text)}").documents[0].root
    assert root is not None
    return to_data(root)


@needs_corpus
@every("path", one_in(6, corpus_files()), ids=str)
def test_every_slice_of_the_corpus_reads_again_as_its_value(path: Path) -> None:
    text = path.read_text("utf-8")
    roots = [document.root for document in load(text).documents if document.root is not None]
    written = [node for root in roots for node in nodes(root) if node.span.start < node.span.end]
    assert [node.span for node in written if read_again(text, node) != to_data(node)] == []


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text("ab:# -'\"é😀\n", max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc #'é", max_size=4), inner, max_size=3),
    max_leaves=8,
)


def block(value: Data, margin: int) -> str:
    """`value` as YAML in blocks, its scalars in double quotes; behind a dash or a colon."""
    blank = "\n" + " " * margin
    match value:
        case list() if value:
            return "".join(f"{blank}-{block(item, margin + 2)}" for item in value)
        case dict() if value:
            return "".join(f"{blank}{quoted(name)}:{block(item, margin + 2)}" for name, item in value.items())
        case list():
            return " []"
        case dict():
            return " {}"
        case str():
            return f" {quoted(value)}"
        case None | bool():
            return f" {str(value).lower()}".replace("none", "null")
        case _:
            return f" {value}"


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


@given(VALUES)
def test_what_is_written_is_read_and_every_slice_of_it_reads_again(value: Data) -> None:
    text = f"k:{block(value, 2)}\n"
    (document,) = load(text).documents
    assert document.root is not None
    assert to_data(document.root) == {"k": value}
    written = [node for node in nodes(document.root) if node.span.start < node.span.end]
    assert [node.span.of(text) for node in written if read_again(text, node) != to_data(node)] == []


# A safe fix repairs a point to the form that its page promises, and touches no other

MENDED = {
    "\"$contains: 'a'\"": "$contains: 'a'",
    '"$is_json"': '"$is_json"',
    '"$100 is named"': "text: '$100 is named'",
    "42": "'42'",
    '["icontains", "b"]': "$icontains: b",
    "{point: c, wieght: 2}": "{point: c, weight: 2}",
    "{fn: $contains, arg: d}": "{fn: contains, arg: d}",
    '$matches: "(?i)e"': '$imatches: "e"',
    "$contians: f": "$contains: f",
    "Names the lease": "Names the lease",
    "$icontains: g # why": "$icontains: g # why",
    "{$js: 'r.length > 1', weight: 2}": "{$js: 'r.length > 1', weight: 2}",
}
"""Points as they may be written, and what mending makes of them."""


IN_PLACE = RuleSelection(select=frozenset(rule.code for rule in ALL if "\nFix (safe" in rule.page))
"""The rules that repair a point where it stands: alone, since no fix is applied that reveals what another reports."""


def rubric(should: list[str], should_not: list[str]) -> str:
    blocks = {"should": should, "should_not": should_not}
    written = [f"  {name}:\n" + "".join(f"    - {item}\n" for item in items) for name, items in blocks.items() if items]
    return "- id: a\n  prompt: x\n" + "".join(written) + "- id: other\n  prompt: y\n  should: [stays]\n"


JSON = Path("x.json")
POINTS = st.lists(st.sampled_from(sorted(MENDED)), max_size=4)


@given(POINTS, POINTS)
def test_mending_gives_the_form_that_the_pages_promise(should: list[str], should_not: list[str]) -> None:
    mended = fix_text(rubric(should, should_not), None, selection=IN_PLACE).parsed
    promised = rubric([MENDED[item] for item in should], [MENDED[item] for item in should_not])
    assert weval_config(mended) == weval_config(parse(promised))


@given(BLUEPRINTS)
@example("- id: a\n  shoud: [y]\n  shoud: [y]\n")
@example("  d: {$js: 'true'}\ntitle: x\ntitle: x\n  - user: hi")
@example("title: x\n  d: {$js: 'true'}\n- id: a\ntitle: x")
@example("title: x\n  prompt: b\n- id: a\ntitle: x")
@example("    long\n  - $nope: [\n  messages:\ntitle: x")
@example('  messages:\n  - "open\n  - a: b: c\ntitle: x\ntitle: x')
@example("    long\ntitle: x\n- id: a\n\t- a\n  - $contains: é😀\ntitle: x")
def test_a_safe_fix_changes_nothing_that_weval_reads_or_ends_its_problem_or_is_not_applied(text: str) -> None:
    before = parse(text)
    found = check(before)
    for diagnostic, fix in [(each, fix) for each in found for fix in each.fixes if fix.safe]:
        after = parse(apply_edits(text, fix.edits))
        unchanged = before.weval.ok and weval_config(after) == weval_config(before)
        is_ended = told(diagnostic.slug, check(after)) < told(diagnostic.slug, found)
        outcome = FixTrial(text).outcome_of([FixedProblem(diagnostic, fix)])
        assert unchanged or is_ended or outcome.objection
        assert not outcome.lost
        assert after.tree.error is None or before.tree.error is not None


def told(slug: str, diagnostics: tuple[Diagnostic, ...]) -> int:
    return sum(diagnostic.slug == slug for diagnostic in diagnostics)
