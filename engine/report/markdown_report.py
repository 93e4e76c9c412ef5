"""A report as Markdown, for where HTML is not shown. Nothing in its texts is read as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.functions.function_text import quoted
from engine.glossary import WORDS
from engine.report.markdown_text import cell, fenced, inline
from engine.report.report import AnswerReport, Assessor, CaseReport, PointResult, PromptReport, Report
from engine.report.report_spending import SPENDING_NOTE, spent_in_all
from engine.report.report_text import (
    GRID_NOTE,
    NOTHING_GRADED,
    NOTHING_JUDGED,
    assessor_text,
    case_counts_text,
    case_label,
    cell_figure,
    extent_figure,
    figures_of,
    made_text,
    point_place,
    total_text,
    turn_title,
    verdict_texts,
)

_MOST_EVIDENCE = 3


def markdown_report(report: Report) -> str:
    """The whole file."""
    return "\n\n".join(_blocks(report)) + "\n"


def _blocks(report: Report) -> Iterator[str]:
    yield f"# {inline(report.title)}"
    yield inline(made_text(report))
    if report.description:
        yield fenced(report.description)
    yield from map(inline, report.notes)
    if report.prompts:
        yield "## Scores"
        yield GRID_NOTE
        yield _grid(report)
    for prompt in report.prompts:
        yield from _prompt(prompt)
    if report.cases is not None:
        yield from _cases(report.cases)
    yield "## Who judged, who graded"
    yield _assessors(report.judges, NOTHING_JUDGED)
    yield _assessors(report.graders, NOTHING_GRADED)
    if report.spent:
        yield "## What was spent"
        yield SPENDING_NOTE
        yield "\n".join(f"- {inline(each.name)}: {each.text}" for each in report.spent)
        yield spent_in_all(report.spent)
    yield "## Words"
    yield "\n".join(f"- *{word.name}* ({word.of}): {word.meaning}" for word in WORDS)


def _grid(report: Report) -> str:
    rows = [[cell(prompt.name), *(_figure(prompt.answer(key)) for key in report.keys)] for prompt in report.prompts]
    totals = ["all prompts", *(total_text(total, len(report.prompts)) for total in report.totals)]
    return _table(["prompt", *map(cell, report.keys)], [*rows, totals])


def _figure(answer: AnswerReport | None) -> str:
    return "–" if answer is None else cell_figure(answer.headline)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; all columns but the first are figures, unless a head begins with a space."""
    marks = ["---" if not number or head.startswith(" ") else "---:" for number, head in enumerate(heads)]
    lines = [[head.strip() or " " for head in heads], marks, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _prompt(prompt: PromptReport) -> Iterator[str]:
    yield f"## {inline(prompt.name)}"
    if prompt.description:
        yield fenced(prompt.description)
    yield "### What was asked"
    if prompt.system:
        yield f"system prompt\n\n{fenced(prompt.system)}"
    for turn in prompt.asked:
        yield turn_title(turn) + ("" if turn.text is None else f"\n\n{fenced(turn.text)}")
    yield "### Points"
    yield _points(prompt) if prompt.points else "This prompt has no points."
    for answer in prompt.answers:
        yield from _answer(answer)


def _points(prompt: PromptReport) -> str:
    results = [{result.point.number: result for result in answer.points} for answer in prompt.answers]
    rows = [
        [
            str(point.number),
            cell(" · ".join(part for part in (point.text, point_place(point), _source(point.citation)) if part)),
            *("–" if point.number not in each else extent_figure(each[point.number]) for each in results),
        ]
        for point in prompt.points
    ]
    return _table([" ", " point", *(cell(answer.key) for answer in prompt.answers)], rows)


def _source(citation: str | None) -> str:
    return f"source: {citation}" if citation else ""


def _answer(answer: AnswerReport) -> Iterator[str]:
    yield f"### {inline(answer.key)}: {answer.figure}"
    if answer.failure:
        yield inline(answer.failure)
    if answer.headline is not None and answer.headline.details:
        yield inline(answer.headline.details)
    if answer.text:
        yield fenced(answer.text)
    elif not answer.failure:
        yield "The answer is empty."
    if answer.points:
        rows = [_result(each, answer.text) for each in answer.points]
        yield _table([" point", "met", "cost", "gain", " how it was assessed"], rows)
    notes = (*answer.steps, *answer.notes)
    if notes:
        yield "\n".join(f"- {inline(note)}" for note in notes)


def _result(result: PointResult, text: str) -> list[str]:
    figures = [str(result.point.number), extent_figure(result), *figures_of(result)]
    return [*figures, cell(_how(result, text))]


def _how(result: PointResult, text: str) -> str:
    parts = [result.detail]
    if result.evidence:
        parts.append("evidence: " + ", ".join(quoted(span.of(text)) for span in result.evidence[:_MOST_EVIDENCE]))
    if result.carried_over:
        parts.append(f"before this edit: the judge saw {result.carried_over}")
    parts += [": ".join(part for part in texts if part) for texts in verdict_texts(result)]
    return " · ".join(part for part in parts if part)


def _cases(cases: CaseReport) -> Iterator[str]:
    yield "## Cases"
    yield case_counts_text(cases)
    if cases.ranking:
        yield f"The rubric {inline(cases.ranking)}."
    rows = [
        [
            case.name,
            cell(case.prompt),
            case_label(case) or " ",
            cell(case.expected),
            case.state,
            cell(" · ".join(part for part in (case.why, case.reason, case.by) if part)),
        ]
        for case in cases.cases
    ]
    if rows:
        yield _table(["case", " prompt", " label", " expected", " outcome", " why"], rows)


def _assessors(assessors: Sequence[Assessor], none: str) -> str:
    return "\n".join(f"- {inline(each.name)}: {inline(assessor_text(each))}" for each in assessors) or none
