"""A text → `Parsed`, from the beginning or from what was read of it before the last edit."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import Blueprint, Header, Prompt
from engine.parsing.collecting import uncollected
from engine.parsing.drafts import swallows, without_swallowing
from engine.parsing.fields import is_null
from engine.parsing.findings import OF_ONE_TEXT, Finding, Kind
from engine.parsing.header import read_header
from engine.parsing.notes import Notes
from engine.parsing.parsed import Parsed
from engine.parsing.prompts import PromptReader
from engine.parsing.settings import Inherited
from engine.parsing.soundness import Broken, find_broken
from engine.parsing.structure import (
    Structure,
    find_structure,
    header_of_stream,
    is_date,
    is_prompt,
    prompts_of_document,
)
from engine.parsing.unfolding import check_size, has_aliases
from engine.record import Record, replace
from engine.text import Span
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import Node, NodeTree
from engine.yaml_nodes.values import TooMuch

if TYPE_CHECKING:
    from engine.yaml_nodes.pieces import Pieces


class _Item(Record):
    """One item of the prompt list: the prompt, None where nothing is written, and what was noted on it."""

    prompt: Prompt | None
    findings: tuple[Finding, ...]

    def moved(self, by: int, places: int) -> _Item:
        """The same item `by` code points and `places` places of the list further on."""
        prompt, findings = self.prompt, self.findings
        if by:
            prompt = None if prompt is None else prompt.shifted(by)
            findings = tuple([finding.shifted(by) for finding in findings])
        if places:
            prompt = None if prompt is None else replace(prompt, index=prompt.index + places)
            findings = tuple([replace(finding, prompt=_plus(finding.prompt, places)) for finding in findings])
        return _Item(prompt, findings)


def _plus(index: int | None, places: int) -> int | None:
    return None if index is None else index + places


class _Whole(Record):
    """A text as it was read: its head, with what was noted before the first prompt, and the items."""

    parsed: Parsed
    inherited: Inherited
    noted: tuple[Finding, ...]
    items: tuple[_Item, ...]


class _InPieces(Record):
    """The same by pieces: whether the first of them is the header, and the items of each."""

    whole: _Whole
    pieces: Pieces
    has_header: bool
    items: tuple[tuple[_Item, ...], ...]


class Reading:
    """Reads one file again and again while it is edited.

    Where an edit stays within one piece of a plain text (`engine.yaml_nodes.pieces`), only that piece is read; what
    stands before it is taken as it was, and what stands behind it is moved. The answer is always the one that reading
    the whole text gives. Not for several threads at once.
    """

    def __init__(self) -> None:
        self._whole: _Whole | None = None
        self._in_pieces: _InPieces | None = None

    def read(self, text: str, path: Path | None = None) -> Parsed:
        """The text as it is read, as `parse` does."""
        before = self._before(path)
        after = None if before is None else _reread(before, text)
        self._in_pieces = after
        if after is None:
            with uncollected():
                self._whole = _read(text, path)
        else:
            self._whole = after.whole
        return self._whole.parsed

    def _before(self, path: Path | None) -> _InPieces | None:
        """What was read last, in pieces; None where it cannot be had so."""
        if self._whole is None or self._whole.parsed.path != path:
            return None
        return self._in_pieces or _in_pieces(self._whole)


def _read(text: str, path: Path | None) -> _Whole:
    tree = load(text, is_json=path is not None and path.suffix.lower() == ".json")
    try:
        check_size(tree)
        notes = Notes()
        structure = find_structure(tree, notes)
        structural = tuple(notes.findings)
        whole = _of_structure(tree, path, structure, structural)
        if tree.is_json or tree.is_plain or not _is_refused(tree, whole.parsed.findings):
            return whole
        drafted = without_swallowing(text, structure)
        return whole if drafted is None else _of_structure(tree, path, drafted, structural)
    except TooMuch:
        finding = Finding(Kind.BAD_STRUCTURE, Span(0, 0), None, None, "too much", refused=True)
        blueprint = Blueprint(Header(Span(0, 0)), ())
        parsed = Parsed(text, path, tree, blueprint, (finding,))
        return _Whole(parsed, Inherited(), (finding,), ())


def _of_structure(tree: NodeTree, path: Path | None, structure: Structure, structural: Sequence[Finding]) -> _Whole:
    broken = find_broken(tree, [item.span for item in structure.prompts])
    notes = Notes(structural)
    header, inherited = read_header(structure.header, notes)
    if broken.header:
        inherited = replace(inherited, definitions=None)
    noted = tuple(notes.findings)
    reader = PromptReader(notes, inherited, tree)
    items = tuple([_item(reader, notes, index, node) for index, node in enumerate(structure.prompts)])
    return _put_together(tree, path, header, inherited, noted, items, broken)


def _item(reader: PromptReader, notes: Notes, index: int, node: Node) -> _Item:
    before = len(notes.findings)
    prompt = reader.prompt(index, node)
    return _Item(prompt, tuple(notes.findings[before:]))


def _put_together(
    tree: NodeTree,
    path: Path | None,
    header: Header,
    inherited: Inherited,
    noted: tuple[Finding, ...],
    items: tuple[_Item, ...],
    broken: Broken,
) -> _Whole:
    found = [*noted, *(finding for item in items for finding in item.findings)]
    prompts = [item.prompt for item in items if item.prompt is not None]
    cut = [replace(prompt, is_cut_off=True) if prompt.index in broken.prompts else prompt for prompt in prompts]
    blueprint = Blueprint(header, tuple(cut))
    findings = tuple([finding for finding in found if not _is_cut_off(finding, broken)])
    parsed = Parsed(tree.text, path, tree, blueprint, findings, broken)
    return _Whole(parsed, inherited, noted, items)


def _is_refused(tree: NodeTree, findings: Iterable[Finding]) -> bool:
    """Whether Weval does not read the text, as far as the findings tell."""
    return tree.error is not None or any(found.refused and not found.when_run for found in findings)


def _is_cut_off(finding: Finding, broken: Broken) -> bool:
    """Whether what a finding speaks of may go on behind an error of the syntax."""
    if finding.kind in OF_ONE_TEXT:
        return False
    return broken.header if finding.prompt is None else finding.prompt in broken.prompts


# --- After an edit


def _in_pieces(whole: _Whole) -> _InPieces | None:
    """`whole` by the pieces of its text; None where a prompt depends on more than its own piece."""
    from engine.yaml_nodes.pieces import in_pieces  # not needed before an edit

    defined = whole.inherited.definitions
    pieces = None if defined is None or defined else in_pieces(whole.parsed.tree)
    if pieces is None or len(pieces.pieces) < 2:
        return None
    roots = [piece.read.root for piece in pieces.pieces]
    written = [root for root in roots if root is not None and not is_null(root)]
    if len(written) < 2 or written[0] is not roots[0] or is_date(written[0]):
        return None
    has_header = header_of_stream(written[0], Notes()) is not None
    left = deque(whole.items)
    items: list[tuple[_Item, ...]] = []
    for index, root in enumerate(roots):
        is_header = has_header and index == 0
        count = 0 if root is None or is_null(root) or is_header else len(prompts_of_document(root))
        if count > len(left):
            return None
        items.append(tuple([left.popleft() for _ in range(count)]))
    return None if left else _InPieces(whole, pieces, has_header, tuple(items))


def _reread(before: _InPieces, text: str) -> _InPieces | None:
    """`text` read from what was read before; None where that takes more than its one piece."""
    if text == before.pieces.text:
        return before
    reread = before.pieces.reread(text)
    if reread is None or has_aliases(text):
        return None
    changed, pieces = reread
    try:
        return _replaced(before, pieces, changed)
    except TooMuch:
        return None


def _replaced(before: _InPieces, pieces: Pieces, changed: int) -> _InPieces | None:
    whole, tree = before.whole, pieces.tree
    header, inherited, noted = whole.parsed.blueprint.header, whole.inherited, whole.noted
    root = pieces.pieces[changed].read.root
    notes = Notes()
    if changed == 0:
        node = None if root is None else header_of_stream(root, notes)
        if (node is not None) != before.has_header:
            return None
        header, inherited = read_header(node, notes)
        if not _hands_on_the_same(inherited, whole.inherited):
            return None
        noted = tuple(notes.findings)
    nodes = _prompts(before, pieces, changed)
    if nodes is None:
        return None
    reader = PromptReader(notes, inherited, tree, keeps_ids=False)
    first = sum(map(len, before.items[:changed]))
    here = tuple([_item(reader, notes, index, node) for index, node in enumerate(nodes, first)])
    behind = before.items[changed + 1 :]
    by, places = len(tree.text) - len(whole.parsed.text), len(here) - len(before.items[changed])
    if by or places:
        behind = tuple([tuple([item.moved(by, places) for item in items]) for items in behind])
    items = (*before.items[:changed], here, *behind)
    every = tuple([item for some in items for item in some])
    broken = find_broken(tree, [item.prompt.span for item in every if item.prompt is not None])
    if broken.header:
        return None
    whole = _put_together(tree, whole.parsed.path, header, inherited, noted, every, broken)
    return _InPieces(whole, pieces, before.has_header, items)


def _prompts(before: _InPieces, pieces: Pieces, changed: int) -> tuple[Node, ...] | None:
    """The prompts of the piece that has changed; None where an error in it makes the others doubtful."""
    root = pieces.pieces[changed].read.root
    is_header = before.has_header and changed == 0
    found = () if root is None or is_null(root) or is_header else prompts_of_document(root)
    if pieces.broken is None:
        return found
    roots = [piece.read.root for piece in pieces.pieces[before.has_header :]]
    others = [root for index, root in enumerate(roots, before.has_header) if root is not None and index != changed]
    if len(others) < 2 or not all(is_prompt(item) for root in others for item in prompts_of_document(root)):
        return None
    found = tuple([item for item in found if is_prompt(item)])
    return None if any(swallows(pieces.text, item) for item in found) else found


def _hands_on_the_same(now: Inherited, before: Inherited) -> bool:
    """Whether the prompts, which refer to no definition, read the same under both."""
    if now.definitions is None or now.definitions or now.defined != before.defined:
        return False
    if now.no_own_system != before.no_own_system:
        return False
    return now.hashed == before.hashed and now.header.get("render_as") == before.header.get("render_as")
