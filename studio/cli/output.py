"""What commands print: blocks as text for a terminal, attributes of what was found as JSON, and a score as blocks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import Enum
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size

from engine.blueprint import Prompt
from engine.evaluation.events import Scored
from engine.evaluation.headline import Headline, group_figure
from engine.evaluation.result_json import bounds_json
from engine.evaluation.tool_use import ToolUse, call_text, calls_text, rule_text
from engine.judging.judge_prompt import circularity
from engine.judging.judgement import agreement_text, failure_text, judge_records
from engine.report.blocks import (
    Answer,
    Block,
    Cell,
    Column,
    Fold,
    Heading,
    Line,
    Notes,
    Pairs,
    Quote,
    Section,
    Table,
    text_of,
)
from engine.scoring import what_if
from engine.scoring.assessment import Bounds
from engine.scoring.explanation import (
    Explanation,
    GroupScore,
    changed_text,
    path_label,
    point_label,
    points_text,
    weight_text,
)
from engine.study.criterion_counts import placed_label
from engine.text.record import Record, as_json, replace
from engine.text.spans import visible
from engine.yaml.nodes import Data

if TYPE_CHECKING:
    from engine.evidence.prompt_evidence import PromptEvidence


def as_text(blocks: Iterable[Block]) -> str:
    """The whole text, safe to print.

    An empty line stands before a section. What is below a heading stands two cells further in, and so does a heading
    below one of a higher level, and a table.
    """
    return visible("\n".join(_lines(blocks, 0)).strip("\n")) + "\n"


def table(titles: Sequence[str], rows: Iterable[Sequence[str]], figures: Collection[int]) -> Table:
    """A table of texts, whose columns `figures`, by their places, are aligned to the right."""
    columns = tuple(Column(title, at in figures) for at, title in enumerate(titles))
    return Table(columns, tuple(tuple(map(Cell, row)) for row in rows))


def shortened(text: str, width: int) -> str:
    """`text` on one line of at most `width` cells."""
    line = " ".join(text.split())
    return line if cell_len(line) <= width else f"{set_cell_size(line, width - 1).rstrip()}…"


def _lines(blocks: Iterable[Block], margin: int) -> Iterator[str]:
    for block in blocks:
        match block:
            case Heading(level, words):
                margin = 2 * level
                yield f"{'  ' * (level - 1)}{text_of(words)}"
            case Section(children):
                yield from ("", *_lines(children, margin))
            case Fold(figure, name, children):
                yield from (f"{' ' * margin}{name}: {figure}", *_lines(children, margin + 2))
            case Line(words):
                yield from _indented(text_of(words).split("\n"), margin)
            case Notes(texts):
                yield from _indented(texts, margin)
            case Quote(text) | Answer(text):
                yield from _indented((text or "").split("\n"), margin)
            case Pairs(rows):
                yield from _indented((f"{name}: {text}" for name, text in rows), margin)
            case Table():
                yield from _indented(_table(block), max(margin, 2))


def _indented(lines: Iterable[str], margin: int) -> Iterator[str]:
    return (f"{' ' * margin}{line}" if line else "" for line in lines)


def _table(table: Table) -> Iterator[str]:
    """The rows below the titles, with two blanks between columns; the last column takes the room that it needs."""
    titles = [each.title for each in table.columns]
    rows = [*([titles] if any(titles) else []), *([text_of(cell.words) for cell in row] for row in table.rows)]
    widths = [max(cell_len(row[at]) for row in rows) for at in range(len(table.columns) - 1)]
    for *cells, last in rows:
        shown = [
            f"{' ' * (width - cell_len(cell))}{cell}" if column.is_number else set_cell_size(cell, width)
            for cell, width, column in zip(cells, widths, table.columns, strict=False)
        ]
        yield "  ".join([*shown, last]).rstrip()


# --- JSON: attributes under the names of docs/machine-readable.md


def picked(found: object, *names: str) -> dict[str, Data]:
    """These attributes of `found`, by their names in camel case: `case.carried_over` is called `carriedOver`.

    `points=uses` gives another name. What an attribute that is None would have is null.
    """
    parts: dict[str, Data] = {}
    for each in names:
        name, _, path = each.rpartition("=")
        value: Any = found
        for attribute in path.split("."):
            value = None if value is None else getattr(value, attribute)
        first, *others = path.rpartition(".")[2].split("_")
        parts[name or "".join([first, *(other.capitalize() for other in others)])] = as_data(value)
    return parts


def as_data(value: Any) -> Data:
    """`value` as JSON has it: an enum by its value, bounds as the lowest and the highest, records by their fields."""
    match value:
        case Enum():
            return value.value
        case Bounds():
            return bounds_json(value)
        case Record():
            return as_json(value)
        case Path():
            return str(value)
        case tuple() | list() | frozenset():
            return [as_data(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


# --- A score as blocks, for `run` and `explain`: its arithmetic, the evidence of checks, tool calls, judges, a target


_WIDEST_STEP = 37


def score(title: str, headline: Headline | str, children: Iterable[Block]) -> Block:
    """What there is to say of a score, below its title."""
    return Section((Fold(str(headline), " ".join(title.split()), tuple(children)),))


def circular_text_of(prompt: Prompt) -> str:
    """Whether points of `prompt` were drafted from its ideal, by the settings; "" if none was. Blocks."""
    from engine.files.user_settings import Settings

    return circularity(prompt, frozenset(Settings.load().drafted))


def _section(title: str, lines: Iterable[str]) -> Block:
    return Section((Heading(2, title), Notes(tuple(lines))))


def arithmetic(explanation: Explanation, circular: str = "") -> Iterator[Block]:
    """The steps of a score, its points and paths, notes, and why it is low.

    `circular` says that the ideal is no evidence on the rubric, "" where it is.
    """
    yield Notes(tuple(_steps(explanation)))
    if explanation.groups():
        yield Section((Notes(tuple(_points(explanation))),))
    if explanation.notes:
        yield _section("notes", explanation.notes)
    if explanation.advice or explanation.against_ideal or circular:
        against = "" if explanation.against_ideal is None else f": {explanation.against_ideal}"
        advice = (f"{number}  {advice.text}" for number, advice in enumerate(explanation.advice, 1))
        yield _section(f"why low{against}", (*filter(None, [circular]), *advice))


def _steps(explanation: Explanation) -> Iterator[str]:
    if explanation.score is not None and explanation.is_open:
        yield "over what is judged:"
    for step in explanation.steps:
        yield f"{step.label:<{_WIDEST_STEP}} {step.figure:>6}  {step.working}"
    yield from (f"  {reason}" for reason in explanation.weval.reasons)


def _points(explanation: Explanation) -> Iterator[str]:
    """The table of points, whose last column may be of any length, with lines below a row."""
    yield _row("", "score", "weight", "cost", "gain", "severity", "points")
    numbers = count(1)
    if explanation.required is not None:
        yield from _group(explanation.required, numbers)
    standings = what_if.path_standings(explanation)
    for number, path in enumerate(explanation.paths, 1):
        yield from _path(number, path, explanation, standings)
        yield from _group(path, numbers, indent="  ")


def _path(
    number: int, path: GroupScore, explanation: Explanation, standings: Sequence[what_if.PathStanding]
) -> Iterator[str]:
    scores = [each.score for each in explanation.paths if each.score is not None]
    best = path.path_id == explanation.best_path_id and any(score < (path.score or 0.0) for score in scores)
    so_far = " so far" if explanation.is_open else ""
    label = f"{path_label(number)}{f', the best{so_far}' if best else ''}"
    label += "" if path.bounds.closed else f": {group_figure(path)}"
    score = points_text(path.score if path.bounds.closed else None)
    yield _row("", score, "", "", points_text(path.gain), "", label)
    for standing in standings:
        if standing.path.path_id == path.path_id:
            yield f"    {': '.join(filter(None, (what_if.lead_text(standing.lead), what_if.change_text(standing))))}"


def _group(group: GroupScore, numbers: Iterator[int], indent: str = "") -> Iterator[str]:
    for point, number in zip(group.points, numbers, strict=False):
        assessment = point.assessment
        yield _row(
            f"{number}",
            "error" if assessment.errs else points_text(assessment.extent),
            weight_text(assessment.point.multiplier),
            points_text(point.cost),
            points_text(point.gain),
            points_text(point.severity),
            f"{indent}{placed_label(assessment.placed)}",
        )
        if point.same_as:
            yield f"    {point.same_as}"
        if assessment.carried_over:
            yield f"    before this edit: its judge saw {changed_text(assessment.carried_over)}"
        if assessment.detail:
            yield f"    {' '.join(assessment.detail.split())}"
        if assessment.reflection and assessment.reflection != assessment.detail:
            yield from (f"      {line}" for line in assessment.reflection.splitlines() if line.strip())


def _row(number: str, score: str, weight: str, cost: str, gain: str, severity: str, text: str) -> str:
    return f"{number:>2} {score:>5} {weight:>6} {cost:>5} {gain:>5} {severity:>8}  {text}"


def evidence(found: PromptEvidence | None) -> Iterator[Block]:
    """What each check found or nearly found; nothing where no check searches the answer."""
    lines: list[str] = []
    if found is not None:
        for point in found.prompt.points():
            if of_point := list(found.lines(point)):
                lines += [point_label(point), *(f"  {line}" for line in of_point)]
    if lines:
        yield _section("evidence", lines)


def tools(use: ToolUse | None) -> Iterator[Block]:
    """Each call with the checks that it fails, malformed calls, and the rules kept or broken."""
    if use is not None:
        yield _section(f"tools: {calls_text(use)} (beside the score, never in it)", _tool_lines(use))


def _tool_lines(use: ToolUse) -> Iterator[str]:
    for seen, line, checks in use.listed:
        yield f"line {line}: {call_text(seen, 100)}"
        yield from (f"  {check.text}" for check in checks)
        if not use.is_declared(seen.name):
            yield f"  {seen.name} is not among the tools of this blueprint"
    if len(use.trace.calls) > len(use.listed):
        yield f"and {len(use.trace.calls) - len(use.listed)} more calls"
    for slip in use.trace.slips:
        yield f"line {slip.line} is no call: {slip.reason}"
    for finding in use.findings:
        yield f"{'kept' if finding.is_met else 'broken'}: {rule_text(finding)}"


def expected(explanation: Explanation, wanted: float | None) -> Iterator[Block]:
    """What an answer would have to do for a score of `wanted`, 0–100; nothing where no score is wanted."""
    if wanted is None:
        return
    found = what_if.target(explanation, wanted / 100)
    lines = [f"{what_if.set_text(each.points)} → {what_if.outcome_text(each)}" for each in found.sets]
    lines += ["and others"] if found.has_others else []
    lines += what_if.target_notes(found)
    lines += filter(None, [what_if.ceiling_text(found)])
    lines += map(what_if.obstacle_text, found.obstacles)
    yield _section(f"expected {what_if.number_text(found.wanted)}: {what_if.target_headline(found)}", lines)


def judges_section(judged: Sequence[Scored], advice: set[str]) -> Block:
    """Each judge of these answers with its number of verdicts and the reasons for missing ones; for one answer, the
    agreement too. What is in `advice` is not said again.
    """
    lines: list[str] = []
    for record in judge_records(each.verdicts[index].judgements for each in judged for index in sorted(each.verdicts)):
        judge = record.judge
        lines.append(f"{judge.id} ({judge.model}, {judge.approach}): {record.summary}")
        for failure, number in record.failures:
            new = replace(failure, advice="") if failure.advice in advice else failure
            lines.append(f"  {failure_text(new, number)}")
            advice.add(failure.advice)
    lines = lines or ["no judge was asked: no criterion was open"]
    if len(judged) == 1:
        lines.append(f"agreement: {agreement_text(judged[0].agreement)}")
    return _section("judges", lines)
