"""Nodes → `Blueprint`, with the facts that rules speak of, and the platform's own answer."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.blueprint import Blueprint, Header
from engine.parsing.drafts import without_swallowing
from engine.parsing.fields import is_truthy
from engine.parsing.findings import Finding, Kind
from engine.parsing.header import read_header
from engine.parsing.normalised import (
    definitions,
    hash_id,
    header_config,
    json_value,
    prompt_config,
    rubric_config,
)
from engine.parsing.notes import Notes
from engine.parsing.prompts import PromptReader
from engine.parsing.soundness import Broken, find_broken
from engine.parsing.structure import Structure, find_structure
from engine.parsing.unfolding import check_size
from engine.text import Span
from engine.yaml_nodes import load
from engine.yaml_nodes.nodes import Data, NodeTree
from engine.yaml_nodes.values import TooMuch, to_data

__all__ = ["Broken", "Finding", "Kind", "Parsed", "WevalAnswer", "WevalError", "parse", "reading", "weval_config"]


@dataclass(frozen=True, slots=True)
class WevalError:
    """Why Weval refuses a text, in its words, and the offset of what it refuses."""

    message: str
    offset: int


@dataclass(frozen=True, slots=True)
class WevalAnswer:
    """Whether Weval reads the text, and its first refusal where it does not.

    `run_error` is the first refusal that comes only when it runs what it has read.
    """

    ok: bool
    error: WevalError | None = None
    run_error: WevalError | None = None


@dataclass(frozen=True, slots=True)
class Parsed:
    """One text as it was read. `blueprint` is always there, with the prompts that could be read.

    `broken` tells what of it was read only up to a YAML error: there are no findings on that, and a rule had better
    not speak of what it misses there.
    """

    text: str
    path: Path | None
    tree: NodeTree
    structure: Structure
    blueprint: Blueprint
    findings: tuple[Finding, ...]
    weval: WevalAnswer
    broken: Broken = field(default_factory=Broken)


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
        structural = tuple(notes.findings)
        broken, blueprint = _read(tree, structure, notes)
        weval = _answer(tree, tuple(notes.findings))
        drafted = None if weval.ok or tree.is_json else without_swallowing(text, structure)
        if drafted is not None:
            notes = Notes(list(structural))
            broken, blueprint = _read(tree, drafted, notes)
    except TooMuch as error:
        notes = Notes()
        notes.add(Kind.BAD_STRUCTURE, Span(0, 0), "too much", refusal=str(error))
        structure, broken, blueprint = Structure(), Broken(), Blueprint(Header(Span(0, 0)), ())
        weval = _answer(tree, tuple(notes.findings))
    findings = tuple(finding for finding in notes.findings if not _is_cut_off(finding, broken))
    return Parsed(text, path, tree, structure, blueprint, findings, weval, broken)


def _read(tree: NodeTree, structure: Structure, notes: Notes) -> tuple[Broken, Blueprint]:
    broken = find_broken(tree, structure.prompts)
    header, inherited = read_header(structure.header, notes)
    if broken.header:
        inherited = replace(inherited, definitions=None)
    reader = PromptReader(notes, inherited, tree)
    prompts = (reader.prompt(index, item) for index, item in enumerate(structure.prompts))
    return broken, Blueprint(header, tuple(prompt for prompt in prompts if prompt is not None))


def _is_cut_off(finding: Finding, broken: Broken) -> bool:
    return broken.header if finding.prompt is None else finding.prompt in broken.prompts


def _answer(tree: NodeTree, findings: tuple[Finding, ...]) -> WevalAnswer:
    if tree.error is not None:
        reason = f"Failed to parse {'JSON' if tree.is_json else 'YAML'} blueprint: {tree.error.reason}"
        return WevalAnswer(False, WevalError(reason, tree.error.offset))
    error = _first_refusal(findings, when_run=False)
    return WevalAnswer(error is None, error, _first_refusal(findings, when_run=True))


def _first_refusal(findings: tuple[Finding, ...], *, when_run: bool) -> WevalError | None:
    for finding in findings:
        if finding.refusal is not None and finding.when_run is when_run:
            return WevalError(finding.refusal, finding.span.start)
    return None


def weval_config(parsed: Parsed) -> Data | None:
    """Weval's normalised form of the blueprint as JSON values; None where Weval refuses it."""
    return _config(parsed) if parsed.weval.ok else None


def reading(parsed: Parsed) -> Data | None:
    """Our normalised form, where we read more than Weval or otherwise; None where it is the same, or an error."""
    if parsed.tree.error is not None:
        return None
    if any(f.refusal is not None and not f.when_run and not f.flagged for f in parsed.findings):
        return None
    ours = _config(parsed, ours=True)
    return ours if ours != weval_config(parsed) else None


def _config(parsed: Parsed, *, ours: bool = False) -> Data:
    node = parsed.structure.header
    data = {} if node is None else to_data(node)
    if node is None and parsed.tree.is_json and not parsed.structure.prompts:
        data = _spread(parsed.tree)
    assert isinstance(data, dict)
    defined = definitions(data)
    prompts: list[Data] = []
    by_index = {prompt.index: prompt for prompt in parsed.blueprint.prompts}
    for index, item in enumerate(parsed.structure.prompts):
        prompt = by_index.get(index)
        source = to_data(item)
        rubrics: dict[str, Data] = {}
        if ours and prompt is not None and isinstance(source, dict):
            rubrics = {
                name: rubric_config(rubric)
                for name, rubric in (("points", prompt.should), ("should_not", prompt.should_not))
                if rubric is not None
            }
        config = prompt_config(source, data, defined, rubrics)
        if ours and prompt is not None and not prompt.id_written:
            config["id"] = prompt.id
        elif not is_truthy(config["id"]):
            config["id"] = hash_id(config)
        prompts.append(config)
    config = header_config(data)
    config["prompts"] = prompts
    return json_value(config)


def _spread(tree: NodeTree) -> dict[str, Data]:
    """What JavaScript spreads a JSON text that is neither object nor list into: a string into its characters."""
    root = to_data(tree.documents[0].root) if tree.documents and tree.documents[0].root is not None else None
    return {str(index): unit for index, unit in enumerate(root)} if isinstance(root, str) else {}
