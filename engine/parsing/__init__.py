"""Nodes → `Blueprint`, with the findings that rules report, and what Weval makes of the same text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

from engine.blueprint import Blueprint, Header
from engine.parsing.demands import OF_ONE_PLACE, OF_ONE_TEXT, Demands, Finding, Kind, WevalError, WevalResult
from engine.parsing.fields import Fields, fields, truthy, value_of
from engine.parsing.header import defined_in, definition_nodes, demand_rest, read_header
from engine.parsing.normalised_form import hash_id, header_config, json_value, prompt_config, rubric_config
from engine.parsing.prompt import PromptReader
from engine.parsing.structure import Structure, find_structure, release_swallowed_prompts
from engine.text import NOWHERE, Record, Span, field, lazy, replace
from engine.text.spans import LineIndex
from engine.text.text_limits import Excess
from engine.yaml.layout import line_end, line_start
from engine.yaml.nodes import Data, MappingNode, Node, NodeTree, Pair, SequenceNode, is_truthy, to_data, utf16_units
from engine.yaml.tree_loader import TooLarge, check_size, load, load_refused

_DOCUMENT = lazy(r"^---(?=[ \t\r\n]|\Z)", re.MULTILINE)
_DASH = lazy(r"( *)-[ \t]+")


class Broken(Record):
    """The parts that the errors of a text hide: whether the header is cut off, and the indices of cut-off prompts.

    `unread` are the offsets of errors outside the header and all prompts: one for each part of the file that could not
    be read and may contain further prompts. `incomplete` are the indices of the cut-off prompts, None for the header,
    of which some lines are not read at all; the other cut-off parts are read with their errors repaired in thought.
    `lines` are the lines of errors and of what is not read, in order and apart from each other.
    """

    header: bool = False
    prompts: frozenset[int] = frozenset()
    unread: tuple[int, ...] = ()
    incomplete: frozenset[int | None] = frozenset()
    lines: tuple[Span, ...] = ()

    def hides(self, span: Span) -> bool:
        """Whether `span` is on a line of an error, or of what is not read."""
        at = bisect_right(self.lines, span.end, key=lambda line: line.start) - 1
        return at >= 0 and span.start <= self.lines[at].end


def find_broken(tree: NodeTree, header: MappingNode | None, prompts: Sequence[Node]) -> Broken:
    """The parts of `header` and `prompts` that the errors of `tree` hide; a repeated key hides nothing."""
    text = tree.text
    places = [each.span.start for each in tree.diagnostics if each.slug != "duplicate-key"]
    if tree.error is None or not places:
        return Broken()
    listed = None if header is None else fields(header).get("prompts")
    parts = _parts(text, header, prompts, listed)
    found = [(place, _part_at(parts, place)) for place in places]
    unread: dict[int, int] = {}
    for place, part in found:
        if part.is_unread:
            unread.setdefault(part.start, place)
    if (lost := _lost_list(listed, prompts)) is not None:
        unread[lost] = lost
    cut_off = {part.index for _, part in found if not part.is_unread and part.index is not None}
    incomplete = {_part_at(parts, each.start).index for each in tree.lost} if prompts else {None}
    hidden = (*tree.lost, *(Span(place, place) for place in places))
    return Broken(
        header=any(part.index is None for _, part in found),
        prompts=frozenset(cut_off),
        # JSON is read only up to its first error.
        unread=tuple(sorted(places[:1] if tree.is_json else unread.values())),
        incomplete=frozenset({*cut_off, None} if tree.is_json else incomplete),
        lines=tuple(_merged(Span(line_start(text, span.start), line_end(text, span.end)) for span in hidden)),
    )


def _merged(spans: Iterable[Span]) -> list[Span]:
    """`spans` in order, with those joined that touch or overlap."""
    merged: list[Span] = []
    for span in sorted(spans):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


class _Part(Record):
    """A part of a file, up to the next one: the prompt with this `index`, or the header (None).

    It `is_unread` if it is a piece behind that one, which may hold further prompts.
    """

    start: int
    index: int | None
    is_unread: bool = False


def _part_at(parts: Sequence[_Part], place: int) -> _Part:
    return parts[bisect_right(parts, place, key=lambda part: part.start) - 1]


def _parts(text: str, header: MappingNode | None, prompts: Sequence[Node], listed: Pair | None) -> list[_Part]:
    """The header, the prompts and the unread pieces of `text`: a prompt begins with the line of its dash."""
    if header is None:
        marker = _DOCUMENT.match(text)
        end = 0 if marker is None else marker.end()
    else:
        end = header.span.end if listed is None else listed.key.span.end
    is_listed = prompts and (header is None or listed is not None)
    beginning = _beginning(text, prompts[0]) if is_listed else _DOCUMENT
    parts = [_Part(0, None)]
    for index, prompt in enumerate(prompts):
        start = prompt.span.start
        own = _beginning(text, prompt)
        dashes = [*own.finditer(text, end, start)] or [*beginning.finditer(text, end, start)]
        dash = Span(*dashes[-1].span()) if dashes else Span(start, start)
        pieces = _unread(text, beginning, Span(end, dash.start), parts[-1].index)
        # A dash at the margin that is an error does not fit the lines above: it is theirs.
        parts += [*pieces, _Part(dash.start + 1 if pieces else dash.end, index)]
        beginning, end = own, prompt.span.end
    return [*parts, *_unread(text, beginning, Span(end, len(text)), parts[-1].index)]


def _unread(text: str, beginning: re.Pattern[str], rest: Span, index: int | None) -> list[_Part]:
    """The pieces that begin in the `rest` of the text behind the part `index`."""
    return [_Part(found.end(), index, True) for found in beginning.finditer(text, rest.start, rest.end)]


def _lost_list(listed: Pair | None, prompts: Sequence[Node]) -> int | None:
    """Where the header's list of prompts begins, if it is not read since other prompts follow the error; else None."""
    first = prompts[0].span.start if prompts else None
    if listed is None or not isinstance(listed.value, SequenceNode):
        return None
    return listed.key.span.start if first is None or listed.value.span.end <= first else None


def _beginning(text: str, prompt: Node) -> re.Pattern[str]:
    """The pattern that begins a piece: `---` or, if `prompt` is a list item, a dash no further right."""
    dash = _DASH.fullmatch(text, line_start(text, prompt.span.start), prompt.span.start)
    if dash is None:
        return _DOCUMENT
    return re.compile(rf"^(?: {{0,{len(dash[1])}}}-|---)(?=[ \t\r\n]|\Z)", re.MULTILINE)


class Parsed(Record, dict=True):
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

    @cached_property
    def lines(self) -> LineIndex:
        """The lines of the text."""
        return LineIndex(self.text)

    def line(self, offset: int) -> int:
        """The line of an offset, from 1."""
        return self.lines.position(offset).line + 1


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
        return _unreadable(tree, path, WevalError(str(error), error.at.start), finding)


def refused(text: str, path: Path | None, beyond: Excess) -> Parsed:
    """The result for `text`, the shown part of one that is too large to be read."""
    tree = load_refused(text, beyond, is_json=path is not None and path.suffix.lower() == ".json")
    error = _of_text(tree)
    assert error is not None
    return _unreadable(tree, path, error)


def _unreadable(tree: NodeTree, path: Path | None, error: WevalError, *findings: Finding) -> Parsed:
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


# What Weval makes of the text


def weval_config(parsed: Parsed) -> Data | None:
    """Weval's normalised form of the blueprint as JSON values; None if Weval refuses it."""
    return json_value(_config(parsed)) if parsed.weval.ok else None


def weval_values(parsed: Parsed) -> Data | None:
    """As `weval_config`, with the dates and the numbers that JSON has no form for, as Weval hashes them."""
    return _config(parsed) if parsed.weval.ok else None


def reading(parsed: Parsed) -> Data | None:
    """Our normalised form if it differs from Weval's; None if it is the same, or if the text has an error."""
    if parsed.tree.error is not None:
        return None
    if any(f.refused and not f.when_run and not f.flagged for f in parsed.findings):
        return None
    ours = json_value(_config(parsed, ours=True))
    return ours if ours != weval_config(parsed) else None


def _config(parsed: Parsed, *, ours: bool = False) -> Data:
    structure = parsed.structure
    node = structure.header
    data = {} if node is None else to_data(node)
    if node is None and parsed.tree.is_json and not structure.prompts:
        data = _spread(parsed.tree)
    assert isinstance(data, dict)
    defined = json_value({} if node is None else defined_in(definition_nodes(fields(node))))
    assert isinstance(defined, dict)
    prompts: list[Data] = []
    by_index = {prompt.index: prompt for prompt in parsed.blueprint.prompts}
    for index, item in enumerate(structure.prompts):
        prompt = by_index.get(index)
        source = to_data(item)
        rubrics: dict[str, Data] = {}
        if ours and prompt is not None and isinstance(source, dict):
            blocks = (("points", prompt.should), ("should_not", prompt.should_not))
            rubrics = {name: rubric_config(rubric) for name, rubric in blocks if rubric is not None}
        config = prompt_config(source, data, defined, rubrics)
        made = "" if prompt is None or prompt.id_written else prompt.id
        if not is_truthy(config["id"]) or (ours and made):
            config["id"] = made or hash_id(config)
        prompts.append(config)
    return {**header_config(data), "prompts": prompts}


def _spread(tree: NodeTree) -> dict[str, Data]:
    """The result of `{...value}` for a JSON text that is neither object nor list: a string gives its characters."""
    root = to_data(tree.documents[0].root) if tree.documents and tree.documents[0].root is not None else None
    return {str(index): unit for index, unit in enumerate(utf16_units(root))} if isinstance(root, str) else {}
