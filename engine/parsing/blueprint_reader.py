"""A text → `Parsed`: its nodes, the blueprint in them, and what was noted on the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.blueprint import Blueprint, Header
from engine.parsing.alias_expansion import check_size
from engine.parsing.drafts import without_swallowing
from engine.parsing.findings import OF_ONE_TEXT, Finding, Kind
from engine.parsing.header_reader import read_header
from engine.parsing.parsed import Parsed
from engine.parsing.parser_notes import Notes
from engine.parsing.prompt_reader import PromptReader
from engine.parsing.soundness import Broken, find_broken
from engine.parsing.structure import Structure, find_structure
from engine.record import replace
from engine.text import Span
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import NodeTree
from engine.yaml_nodes.values import TooMuch


def parse(text: str, path: Path | None = None) -> Parsed:
    """Read a blueprint: JSON where `path` ends in `.json`, else YAML. Raises nothing.

    What the documents show is read as they show it; where Weval reads or refuses it otherwise, a finding says so.
    Where the text is no YAML, the parts that are sound by themselves are read.
    """
    tree = load(text, is_json=path is not None and path.suffix.lower() == ".json")
    try:
        check_size(tree)
        notes = Notes()
        structure = find_structure(tree, notes)
        parsed = _of_structure(tree, path, structure, notes.findings)
        if tree.is_json or not _is_refused(tree, parsed.findings):
            return parsed
        drafted = without_swallowing(text, structure)
        return parsed if drafted is None else _of_structure(tree, path, drafted, notes.findings)
    except TooMuch:
        finding = Finding(Kind.BAD_STRUCTURE, Span(0, 0), None, None, "too much", refused=True)
        return Parsed(text, path, tree, Blueprint(Header(Span(0, 0)), ()), (finding,))


def _of_structure(tree: NodeTree, path: Path | None, structure: Structure, structural: Sequence[Finding]) -> Parsed:
    """The blueprint of `structure`, on which `structural` was noted."""
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
    """Whether Weval does not read the text, as far as the findings tell."""
    return tree.error is not None or any(found.refused and not found.when_run for found in findings)


def _is_cut_off(finding: Finding, broken: Broken) -> bool:
    """Whether what a finding speaks of may go on behind an error of the syntax."""
    if finding.kind in OF_ONE_TEXT:
        return False
    return broken.header if finding.prompt is None else finding.prompt in broken.prompts
