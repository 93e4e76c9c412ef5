"""`load`: a whole text → its tree, with a diagnostic for each part that cannot be read; and its nodes by span.

The modules for JSON and for errors are imported when they are needed: importing them takes longer than reading most
texts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from engine.text import Diagnostic, Fix, Span, TextEdit, lazy, replace
from engine.text.text_limits import (
    ALIAS_VALUES,
    DEPTH,
    EXPANDED_CHARACTERS,
    Excess,
    TooManyValues,
    excess,
    too_many_values,
)
from engine.yaml.layout import line_start
from engine.yaml.nodes import (
    NO_MAPPING,
    AliasNode,
    Document,
    Duplicate,
    MappingNode,
    Node,
    NodeTree,
    Pair,
    ScalarNode,
    SequenceNode,
    YamlError,
    holds_bytes,
    last_scalar,
    property_name,
    resolved,
)
from engine.yaml.reader import Reader
from engine.yaml.scalar_text import Refusal

_MOST_TRIED = 40_000
"""How many characters are read to try the fixes of a text with several errors; those of a longer text are kept."""
_MOST_ERRORS = 8
"""How many errors a text may have for its fixes to be tried."""
_LONE_RETURN = re.compile(r"\r(?!\n)")


def load(text: str, *, is_json: bool = False) -> NodeTree:
    """`text` as a tree of nodes: YAML as js-yaml 4.1.0 reads it, or JSON as `JSON.parse` does.

    Never raises: problems are in the tree's `diagnostics` and `error`. A JSON tree has one document, and equal keys in
    an object are not an error there: the last one wins.
    """
    try:
        beyond = excess(text)
        if beyond is None:
            return _load_json(text) if is_json else _load_yaml(text)
    except TooManyValues as error:
        beyond = too_many_values(error.offset)
    return load_refused(text, beyond, is_json=is_json)


def load_refused(text: str, beyond: Excess, *, is_json: bool = False) -> NodeTree:
    """The tree of a text that is too large to be read, or of the part of it that is shown."""
    from engine.yaml.slips import diagnose_excess

    found = diagnose_excess(text, beyond)
    error = YamlError(beyond.message, found.span.start)
    return NodeTree(text, (), (found,), error, is_json=is_json, is_refused=True)


def _load_json(text: str) -> NodeTree:
    from engine.yaml.json_reader import json_slip, read_json

    whole = Span(0, len(text))
    try:
        return NodeTree(text, (Document(whole, read_json(text)),), is_json=True)
    except Refusal as error:
        found = json_slip(text, error).diagnostic
        refused = YamlError(error.reason, error.offset)
        return NodeTree(text, (Document(whole, error.partial),), (found,), refused, is_json=True)


def _load_yaml(text: str, *, is_trial: bool = False) -> NodeTree:
    # All line breaks mean the same; with lone carriage returns replaced, little code has to know them.
    lined = _LONE_RETURN.sub("\n", text) if "\r" in text else text
    reader = Reader(lined, 0, len(lined), {})
    refusal = reader.read_to_refusal()
    if refusal is None and not reader.duplicates:
        return NodeTree(text, tuple(reader.documents))
    return _load_broken(text, lined, reader, refusal, is_trial=is_trial)


def _load_broken(text: str, lined: str, reader: Reader, refusal: Refusal | None, *, is_trial: bool) -> NodeTree:
    """The tree of a `text` that js-yaml refuses, for `refusal` or for duplicate keys that the `reader` found.

    Fixes are tried, unless this `is_trial` of one.
    """
    from engine.yaml.diagnosis import Effort, with_anchor
    from engine.yaml.recovery import Recovered, add_dashes, diagnose_duplicate, recover

    is_refused = refusal is not None or _closes_late(lined, reader.documents)
    if is_refused:
        read = recover(lined, is_trial=is_trial)
    else:
        read = Recovered(lined, Effort(0), {}, reader.documents, reader.duplicates)
    add_dashes(read, is_refused=is_refused)
    found = [*read.diagnostics, *map(diagnose_duplicate, read.duplicates)]
    found = [with_anchor(each, lined) if each.slug == "ended-alias" else each for each in found]
    found.sort(key=lambda diagnostic: diagnostic.span)
    if not is_trial and 1 < len(found) <= _MOST_ERRORS and len(found) * len(text) <= _MOST_TRIED:
        found = [_with_fixes_that_work(each, found, text) for each in found]
    if "\r\n" in text:
        found = [_with_windows_line_ends(each) for each in found]
    error = _error(text, refusal, reader.duplicates)
    return NodeTree(text, tuple(read.documents), tuple(found), error, lost=tuple(sorted(read.lost)))


def _closes_late(text: str, documents: Iterable[Document]) -> bool:
    """Whether a key stands on the line on which the value above it ends, if that value began on a line above.

    js-yaml accepts it, where an author has forgotten to close a quotation mark.
    """
    for document in documents:
        for above, pair in _neighbours(document.root):
            quoted = last_scalar(above.value)
            if quoted is not None and quoted.span.start < line_start(text, pair.key.span.start) < quoted.span.end:
                return True
    return False


def _neighbours(node: Node | None) -> Iterator[tuple[Pair, Pair]]:
    """Each two pairs of a block mapping that follow on each other, in `node` and all that it holds."""
    match node:
        case MappingNode(pairs=pairs, flow=False):
            for above, pair in pairwise(pairs):
                yield from _neighbours(above.value)
                yield above, pair
            yield from _neighbours(pairs[-1].value if pairs else None)
        case SequenceNode(items=items, flow=False):
            for item in items:
                yield from _neighbours(item)
        case _:
            return


def _with_fixes_that_work(diagnostic: Diagnostic, found: Sequence[Diagnostic], text: str) -> Diagnostic:
    """`diagnostic`, without its fix if that alone leaves as many errors of its rule as `found` has."""
    from engine.yaml.trial import works

    def ends(after: str) -> bool:
        left = _load_yaml(after, is_trial=True).diagnostics
        before, after_it = (sum(each.slug == diagnostic.slug for each in some) for some in (found, left))
        return after_it < before

    if not diagnostic.fixes:
        return diagnostic
    return diagnostic if works(text, diagnostic.fixes[0].edits, ends) else replace(diagnostic, fixes=())


def _with_windows_line_ends(diagnostic: Diagnostic) -> Diagnostic:
    """`diagnostic` with fixes that write line breaks as the text has them."""

    def written(edit: TextEdit) -> TextEdit:
        return TextEdit(edit.span, re.sub(r"\r?\n", "\r\n", edit.text))

    fixes = tuple(Fix(fix.title, fix.safe, tuple(map(written, fix.edits))) for fix in diagnostic.fixes)
    return replace(diagnostic, fixes=fixes)


def _error(text: str, refusal: Refusal | None, early_duplicates: list[Duplicate]) -> YamlError | None:
    """The error with which js-yaml refuses the whole text; it finds a duplicate key once the value is read."""
    first = min(early_duplicates, key=lambda duplicate: duplicate.pair.span.end, default=None)
    if first is not None:
        return YamlError("duplicated mapping key", first.pair.key.span.start)
    return None if refusal is None else YamlError(refusal.reason, min(refusal.offset, len(text)))


def nodes_around(tree: NodeTree, span: Span) -> Iterator[Node]:
    """All nodes that cover `span`, the outermost first; aliases are not followed."""
    for document in tree.documents:
        root = document.root
        if root is not None and root.span.start <= span.start and span.end <= root.span.end:
            yield from _down(root, span)


def _down(node: Node, span: Span) -> Iterator[Node]:
    yield node
    for child in _children_near(node, span.start):
        if child.span.start <= span.start and span.end <= child.span.end:
            yield from _down(child, span)
            return


def _children_near(node: Node, offset: int) -> Iterable[Node]:
    """The children of `node` that may cover `offset`: of a list or mapping, which may be long, only a few."""
    match node:
        case SequenceNode(items=items):
            return [items[index] for index in indices_near(node, offset)]
        case MappingNode(pairs=pairs) if holds_bytes(node):
            return (pairs[0].key,)
        case MappingNode(pairs=pairs):
            end = bisect_right(pairs, offset, key=lambda pair: pair.key.span.start)
            return [part for pair in pairs[max(end - 2, 0) : end] for part in (pair.key, pair.value)]
        case _:
            return ()


def indices_near(node: SequenceNode, offset: int) -> range:
    """The indices of the two items of `node` that may cover `offset`."""
    end = bisect_right(node.items, offset, key=lambda item: item.span.start)
    return range(max(end - 2, 0), end)


def mapping_at(tree: NodeTree, span: Span) -> MappingNode | None:
    """The mapping at exactly `span`, also through an alias; None if there is none."""
    for node in nodes_around(tree, span):
        if node.span == span and isinstance(target := resolved(node), MappingNode):
            return target
    return None


def enclosing_mapping(tree: NodeTree, span: Span) -> MappingNode:
    """The innermost mapping that covers `span`; an empty one outside of all."""
    around = [node for node in nodes_around(tree, span) if isinstance(node, MappingNode)]
    return around[-1] if around else NO_MAPPING


def function_pair(node: MappingNode) -> Pair | None:
    """The pair that holds a function's argument: `$name: argument`, or `fnArgs` / `arg` beside `fn`."""
    for pair in node.pairs:
        if property_name(pair.key).startswith("$"):
            return pair
    return node.pair("fnArgs") or node.pair("arg")


_KEY = "a:"


def value_on_line(source: str) -> Node | None:
    """The value that `source` is after a key; None if it is not a value, or a comment ends it early."""
    before = f"{_KEY} "
    root = _single_pair(before + source)
    return root.pairs[0].value if root is not None and root.span.end == len(before) + len(source) else None


def value_below(source: str) -> Node | None:
    """The list or mapping that `source`, on lines of its own from its first line break on, is below a key."""
    root = _single_pair(_KEY + source)
    value = None if root is None else root.pairs[0].value
    return value if isinstance(value, MappingNode | SequenceNode) else None


def _single_pair(text: str) -> MappingNode | None:
    """The mapping of one pair that `text` is; None if it is anything else."""
    tree = load(text)
    is_usable = tree.error is None and len(tree.documents) == 1 and not has_aliases(text)
    root = tree.documents[0].root if is_usable else None
    return root if isinstance(root, MappingNode) and len(root.pairs) == 1 else None


# The size of a text once its aliases are expanded, checked before any walk over its values


TOO_MANY = "The aliases (`*name`) of this text expand to too many values."
TOO_DEEP = f"This is nested more than {DEPTH} levels deep, or contains itself through an alias (`*name`)."


class TooLarge(ValueError):
    """A text whose aliases expand beyond a limit, or without end. The message tells authors which; `at` is the place.

    `is_deep`: it is nested too deep, or without end.
    """

    def __init__(self, message: str, at: Span) -> None:
        super().__init__(message)
        self.at = at
        self.is_deep = message == TOO_DEEP


_NAME = r"(?:(?<=\A.)|(?<=[\s\[{,:?-].))([^\s,\[\]{}]+)"
_ANCHOR = lazy("&" + _NAME)
_ALIAS = lazy(r"\*" + _NAME)


def check_size(tree: NodeTree) -> None:
    """Raise `TooLarge` if the aliases of `tree` add over `ALIAS_VALUES`, or expand beyond `EXPANDED_CHARACTERS`.

    Its place is the value with which they exceed the limit.
    """
    if tree.is_json or not has_aliases(tree.text):
        return
    known: dict[int, _Size | None] = {}
    _sum((document.root for document in tree.documents if document.root is not None), 0, known)


def has_aliases(text: str) -> bool:
    """Whether `text` may contain an alias: a `*name` with a matching `&name`. Rarely true without one."""
    anchors = set(_ANCHOR.findall(text)) if "&" in text and "*" in text else ()
    return bool(anchors) and not anchors.isdisjoint(_ALIAS.findall(text))


class _Size(NamedTuple):
    """What a node expands to: its values, how many of them aliases add to the written ones, and their characters."""

    values: int
    added: int
    characters: int


def _sum(nodes: Iterable[Node], depth: int, known: dict[int, _Size | None]) -> _Size:
    """What `nodes` expand to."""
    values = added = characters = 0
    for node in nodes:
        size = _size(node, depth, known)
        values += size.values
        added += size.values - 1 if type(node) is AliasNode else size.added
        characters += size.characters
        if added > ALIAS_VALUES or characters > EXPANDED_CHARACTERS:
            raise TooLarge(TOO_MANY, node.span)
    return _Size(values, added, characters)


def _size(written: Node, depth: int, known: dict[int, _Size | None]) -> _Size:
    """The size of `written`. `known` are the sizes of collections, None for one whose size is being computed."""
    node = written
    while isinstance(node, AliasNode):
        node = node.target
    if isinstance(node, ScalarNode):
        return _Size(1, 0, len(node.text))
    size = known.get(id(node))
    if size is not None:
        return size
    if id(node) in known or depth > DEPTH:
        raise TooLarge(TOO_DEEP, written.span)
    known[id(node)] = None
    if isinstance(node, MappingNode):
        inner = (part for pair in node.pairs for part in (pair.key, pair.value))
    else:
        inner = iter(node.items)
    within = _sum(inner, depth + 1, known)
    known[id(node)] = size = within._replace(values=within.values + 1)
    return size
