"""A text → `Parsed`: its nodes, its blueprint, the findings, and whether Weval refuses it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from engine.blueprint import Blueprint, Header
from engine.parsing.demands import Demands, WevalError, WevalResult
from engine.parsing.fields import Fields, fields, truthy, value_of
from engine.parsing.findings import OF_ONE_PLACE, OF_ONE_TEXT, Finding, Kind
from engine.parsing.header import read_header
from engine.parsing.header_demands import demand_rest
from engine.parsing.prompt import PromptReader
from engine.parsing.soundness import Broken, find_broken
from engine.parsing.structure import Structure, find_structure, release_swallowed_prompts
from engine.text.record import Record, field, replace
from engine.text.spans import NOWHERE
from engine.text.text_limits import ALIAS_VALUES, DEPTH, EXPANDED_CHARACTERS, Excess
from engine.yaml import load, load_refused
from engine.yaml.nodes import AliasNode, MappingNode, Node, NodeTree, ScalarNode, SequenceNode
from engine.yaml.values import TOO_DEEP, TOO_MANY, TooLarge

_NAME = r"(?:(?<=\A.)|(?<=[\s\[{,:?-].))([^\s,\[\]{}]+)"
_ANCHOR: Final = "&" + _NAME
_ALIAS: Final = r"\*" + _NAME


class Parsed(Record):
    """The result of reading one text. `blueprint` always exists, with the prompts that could be read.

    `broken` names the parts that a YAML error cuts off. They have no findings, and rules should not report anything as
    missing there. `weval` says whether Weval refuses the text, `structure` are the nodes of the header and the prompts.
    """

    text: str
    path: Path | None
    tree: NodeTree
    blueprint: Blueprint
    findings: tuple[Finding, ...]
    weval: WevalResult
    structure: Structure = field(default_factory=Structure)
    broken: Broken = field(default_factory=Broken)


def parse(text: str, path: Path | None = None) -> Parsed:
    """Read a blueprint: JSON if `path` ends in `.json`, else YAML. Never raises.

    The text is read as the documents describe; a finding reports where Weval reads it differently or refuses it. If
    the text is not valid YAML, the parts that can be read by themselves are.
    """
    tree = load(text, is_json=path is not None and path.suffix.lower() == ".json")
    try:
        check_size(tree)
        demand = Demands()
        structure = find_structure(tree, demand)
        structural = tuple(demand.findings)
        parsed = _of_structure(tree, path, structure, demand)
        if tree.is_json or parsed.weval.ok:
            return parsed
        drafted = release_swallowed_prompts(text, structure)
        if drafted is None:
            return parsed
        released = _of_structure(tree, path, drafted, Demands(structural))
        return replace(released, weval=parsed.weval, structure=structure)
    except TooLarge as error:
        cause = "too deep" if error.is_deep else "too many"
        finding = Finding(Kind.BAD_STRUCTURE, error.at, None, None, cause, refused=True)
        return _unread(tree, path, WevalError(str(error), error.at.start), finding)


def refused(text: str, path: Path | None, beyond: Excess) -> Parsed:
    """The result for `text`, the shown part of one that is too large to be read."""
    tree = load_refused(text, beyond, is_json=path is not None and path.suffix.lower() == ".json")
    error = _of_text(tree)
    assert error is not None
    return _unread(tree, path, error)


def _unread(tree: NodeTree, path: Path | None, error: WevalError, *findings: Finding) -> Parsed:
    return Parsed(tree.text, path, tree, Blueprint(Header(NOWHERE), ()), findings, WevalResult(False, error))


def _of_text(tree: NodeTree) -> WevalError | None:
    """Why Weval cannot read the text at all, or None."""
    if tree.error is None:
        return None
    reason = f"Failed to parse {'JSON' if tree.is_json else 'YAML'} blueprint: {tree.error.reason}"
    return WevalError(reason, tree.error.offset)


def _of_structure(tree: NodeTree, path: Path | None, structure: Structure, demand: Demands) -> Parsed:
    """Read the blueprint of `structure`, with the demands on it in Weval's order."""
    broken = find_broken(tree, structure.header, structure.prompts)
    found = {} if structure.header is None else fields(structure.header)
    header, inherited = read_header(structure.header, demand)
    if broken.header:
        inherited = replace(inherited, definitions=None)
    if tree.is_json:
        _refuse_prompts(found, demand)
    reader = PromptReader(demand, inherited)
    read = [reader.prompt(index, item) for index, item in enumerate(structure.prompts)]
    prompts = [prompt for prompt in read if prompt is not None]
    demand.prompt = None
    demand_rest(found, demand)
    reader.note_shadowed(header, prompts, structure.prompts)
    reader.demand_no_own_system(prompts, structure.prompts)
    findings = tuple(finding for finding in demand.findings if not _is_cut_off(finding, broken))
    unread = _of_text(tree)
    weval = demand.answer() if unread is None else WevalResult(False, unread)
    whole = tuple(replace(each, is_cut_off=True) if each.index in broken.prompts else each for each in prompts)
    return Parsed(tree.text, path, tree, Blueprint(header, whole), findings, weval, structure, broken)


def _refuse_prompts(found: Fields, demand: Demands) -> None:
    """Refuse `prompts` of a JSON text that is not a list: Weval maps over it whatever it is, after the header."""
    listed = found.get("prompts")
    if listed is not None and truthy(listed) and not isinstance(value_of(listed), SequenceNode):
        demand.refuse(listed.value, "(rawPrompts || []).map is not a function")


def _is_cut_off(finding: Finding, broken: Broken) -> bool:
    """Whether a finding may come from an error, or from what an error cuts off, and not from what the author wrote."""
    if finding.kind in OF_ONE_TEXT:
        return False
    if not (broken.header if finding.prompt is None else finding.prompt in broken.prompts):
        return False
    if broken.hides(finding.span):
        return True
    return finding.prompt in broken.incomplete and finding.kind not in OF_ONE_PLACE


# The size of a text once its aliases are expanded, checked before any walk over its values


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
    anchors = set(re.findall(_ANCHOR, text)) if "&" in text and "*" in text else ()
    return bool(anchors) and not anchors.isdisjoint(re.findall(_ALIAS, text))


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
