"""A text → `Parsed`: its nodes, its blueprint, and the findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.blueprint import Blueprint, Header
from engine.parsing.alias_expansion import check_size
from engine.parsing.drafts import release_swallowed_prompts
from engine.parsing.findings import OF_ONE_PLACE, OF_ONE_TEXT, Finding, Kind
from engine.parsing.header_reader import read_header
from engine.parsing.parsed import Parsed
from engine.parsing.parser_notes import Notes
from engine.parsing.prompt_reader import PromptReader
from engine.parsing.soundness import Broken, find_broken
from engine.parsing.structure import Structure, find_structure
from engine.record import replace
from engine.text import NOWHERE
from engine.text_limits import Excess
from engine.yaml_nodes import load, load_refused
from engine.yaml_nodes.nodes import NodeTree
from engine.yaml_nodes.values import TooLarge


def parse(text: str, path: Path | None = None) -> Parsed:
    """Read a blueprint: JSON if `path` ends in `.json`, else YAML. Never raises.

    The text is read as the documents describe; a finding reports where Weval reads it differently or refuses it. If
    the text is not valid YAML, the parts that can be read by themselves are.
    """
    tree = load(text, is_json=path is not None and path.suffix.lower() == ".json")
    try:
        check_size(tree)
        notes = Notes()
        structure = find_structure(tree, notes)
        parsed = _of_structure(tree, path, structure, notes.findings)
        if tree.is_json or not _is_refused(tree, parsed.findings):
            return parsed
        drafted = release_swallowed_prompts(text, structure)
        return parsed if drafted is None else _of_structure(tree, path, drafted, notes.findings)
    except TooLarge as error:
        cause = "too deep" if error.is_deep else "too many"
        finding = Finding(Kind.BAD_STRUCTURE, error.at, None, None, cause, refused=True)
        return Parsed(text, path, tree, Blueprint(Header(NOWHERE), ()), (finding,))


def refused(text: str, path: Path | None, beyond: Excess) -> Parsed:
    """The result for `text`, the shown part of one that is too large to be read."""
    tree = load_refused(text, beyond, is_json=path is not None and path.suffix.lower() == ".json")
    return Parsed(text, path, tree, Blueprint(Header(NOWHERE), ()), ())


def _of_structure(tree: NodeTree, path: Path | None, structure: Structure, structural: Sequence[Finding]) -> Parsed:
    """Read the blueprint of `structure`; `structural` are the findings on the structure itself."""
    broken = find_broken(tree, structure.header, structure.prompts)
    notes = Notes(structural)
    header, inherited = read_header(structure.header, notes)
    if broken.header:
        inherited = replace(inherited, definitions=None)
    reader = PromptReader(notes, inherited)
    read = [reader.prompt(index, item) for index, item in enumerate(structure.prompts)]
    prompts = tuple(
        replace(prompt, is_cut_off=True) if prompt.index in broken.prompts else prompt
        for prompt in read
        if prompt is not None
    )
    findings = tuple(finding for finding in notes.findings if not _is_cut_off(finding, broken))
    return Parsed(tree.text, path, tree, Blueprint(header, prompts), findings, broken)


def _is_refused(tree: NodeTree, findings: Iterable[Finding]) -> bool:
    """Whether the findings say that Weval refuses the text."""
    return tree.error is not None or any(found.refused and not found.when_run for found in findings)


def _is_cut_off(finding: Finding, broken: Broken) -> bool:
    """Whether a finding may come from an error, or from what an error cuts off, and not from what the author wrote."""
    if finding.kind in OF_ONE_TEXT:
        return False
    if not (broken.header if finding.prompt is None else finding.prompt in broken.prompts):
        return False
    if broken.hides(finding.span):
        return True
    return finding.prompt in broken.incomplete and finding.kind not in OF_ONE_PLACE
