"""A report as blocks, and as the files made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Role
from engine.functions.function_text import quoted
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
    Part,
    PartKind,
    Quote,
    Section,
    Table,
    Text,
    Tone,
    as_html,
    as_markdown,
)
from engine.report.report import (
    SPENDING_NOTE,
    AnswerReport,
    Assessor,
    CaseReport,
    KeyTotal,
    PointResult,
    PromptReport,
    Report,
    ReportedCase,
    ReportedPoint,
    spent_in_all,
)
from engine.scoring.explanation import weight_text
from engine.text.glossary import glossary
from engine.text.spans import count, in_quotes

_GRID_NOTE = (
    "Scores of 100. A range is what is still possible while criteria are open. All prompts: the weighted mean of the "
    "scores as Weval stores them."
)
_MADE_BY = "Made by Blueprint Studio. Nothing was sent to make it, and this file loads nothing."
_MOST_EVIDENCE = 3
_ROLES = {Role.SYSTEM: "system prompt", Role.USER: "user", Role.ASSISTANT: "assistant"}
_STATES = {"passed": Tone.MET, "failed": Tone.UNMET}
_NO_FIGURE = Cell("–", Tone.DIM, is_number=True)


def html_report(report: Report) -> str:
    """The report as one HTML file, with a policy that forbids everything but its own style."""
    words = Pairs(tuple((word.name, f"{word.of}. {word.meaning}") for word in glossary()))
    footer = Line("Words in this report:"), words, Line(_MADE_BY)
    return as_html(report.title, _header(report), _sections(report), footer)


def markdown_report(report: Report) -> str:
    """The report as Markdown."""
    words = "\n".join(f"- *{word.name}* ({word.of}): {word.meaning}" for word in glossary())
    return f"{as_markdown((*_header(report), *_sections(report), Heading(2, 'Words')))}\n{words}\n"


def _header(report: Report) -> Iterator[Block]:
    prompts, sources = count(len(report.prompts), "prompt"), f"{count(len(report.keys), 'source')} of answers"
    made = report.made.strftime("%Y-%m-%d %H:%M UTC")
    yield Heading(1, Text(report.title))
    yield Line(" · ".join((report.source, prompts, sources, made)), Tone.DIM)
    if report.description:
        yield Quote(report.description)
    yield from map(Line, report.notes)


def _sections(report: Report) -> Iterator[Block]:
    if report.prompts:
        yield Section((Heading(2, "Scores"), _grid(report)))
    for number, prompt in enumerate(report.prompts, 1):
        yield Section(tuple(_prompt(prompt, number)))
    if report.cases is not None:
        yield Section(tuple(_cases(report.cases)))
    judges = _assessors(report.judges, "No judge: only checks and grades count.")
    graders = _assessors(report.graders, "Nobody graded by hand.")
    yield Section((Heading(2, "Who judged, who graded", "assessors"), judges, graders))
    if report.spent:
        rows = Pairs(tuple((each.name, each.text) for each in report.spent))
        note, total = Line(SPENDING_NOTE, Tone.DIM), Line(spent_in_all(report.spent))
        yield Section((Heading(2, "What was spent", "spent"), note, rows, total))


# --- Scores


def _grid(report: Report) -> Table:
    rows = tuple(
        (
            Cell(Text(prompt.prompt), is_head=True, to=f"prompt-{number}"),
            *(_grid_cell(prompt.answer(key)) for key in report.keys),
        )
        for number, prompt in enumerate(report.prompts, 1)
    )
    totals = (Cell(_total_text(total, len(report.prompts)), is_number=True) for total in report.totals)
    columns = Column("prompt"), *(Column(key, is_number=True) for key in report.keys)
    return Table(columns, (*rows, (Cell("all prompts", is_head=True), *totals)), _GRID_NOTE, has_total=True)


def _grid_cell(answer: AnswerReport | None) -> Cell:
    if answer is None:
        return _NO_FIGURE
    if answer.score is None:
        return Cell("failed", Tone.UNMET, is_number=True)
    tone = Tone.DIM if answer.score.is_open else _tone(answer.score.bounds.low)
    return Cell(answer.score.by_itself, tone, is_number=True)


def _tone(extent: float) -> Tone:
    return Tone.MET if extent >= 1 else Tone.UNMET if extent <= 0 else Tone.PARTLY


def _total_text(total: KeyTotal, prompts: int) -> str:
    """`66 from 3 of 5 prompts`; `–` if nothing was scored."""
    if total.score is None:
        return "–"
    failed = f", {total.failed} failed" if total.failed else ""
    return total.score.by_itself + ("" if total.scored == prompts else f" from {total.scored} of {prompts}{failed}")


# --- One prompt


def _prompt(prompt: PromptReport, number: int) -> Iterator[Block]:
    yield Heading(2, Text(prompt.prompt), f"prompt-{number}")
    if prompt.description:
        yield Quote(prompt.description, tone=Tone.DIM)
    yield Heading(3, "What was asked")
    if prompt.system:
        yield Quote(prompt.system, "system prompt")
    for turn in prompt.asked:
        yield Quote(turn.content, _ROLES[turn.role] + (", to be generated" if turn.content is None else ""))
    yield Heading(3, "Points")
    yield _points(prompt) if prompt.points else Line("This prompt has no criteria.")
    for answer in prompt.answers:
        yield Fold(answer.figure, answer.key, tuple(_answer(answer)))


def _points(prompt: PromptReport) -> Table:
    results = [{result.number: result for result in answer.points} for answer in prompt.answers]
    rows = tuple(
        (
            Cell(str(point.number), Tone.DIM, is_number=True),
            Cell(parts=tuple(_point(point))),
            *(_extent(of_answer.get(point.number)) for of_answer in results),
        )
        for point in prompt.points
    )
    keys = (Column(answer.key, is_number=True) for answer in prompt.answers)
    return Table((Column(""), Column("point"), *keys), rows)


def _point(point: ReportedPoint) -> Iterator[Part]:
    """The point, `should_not · path 2 · weight 3` where it is no required one of weight 1, and its source."""
    yield Part(PartKind.CODE if point.is_check else PartKind.PHRASE, point.text)
    weight = f"weight {weight_text(point.weight)}" if point.weight != 1 else ""
    place = " · ".join(filter(None, ("should not" if point.block.inverted else "", point.path, weight)))
    if place:
        yield Part(PartKind.NOTE, place)
    if point.citation:
        yield Part(PartKind.NOTE, point.citation, "source")


def _extent(result: PointResult | None) -> Cell:
    """The result of a point from 0 to 100; `open` if it is not assessed, `failed` if no judge could judge it."""
    if result is None:
        return _NO_FIGURE
    tone = Tone.DIM if result.extent is None else _tone(result.extent)
    return Cell(result.extent_figure, tone, is_number=True)


def _answer(answer: AnswerReport) -> Iterator[Block]:
    if answer.failure:
        yield Line(Text(answer.failure), Tone.UNMET)
    if answer.score is not None and answer.score.details:
        yield Line(answer.score.details, Tone.DIM)
    if answer.text:
        yield Answer(answer.text, tuple((span, each.number) for each in answer.points for span in each.evidence))
    elif not answer.failure:
        yield Line("The answer is empty.", Tone.DIM)
    if answer.points:
        figures = (Column(title, is_number=True) for title in ("point", "met", "cost", "gain"))
        rows = tuple(_result(result, answer.text) for result in answer.points)
        yield Table((*figures, Column("how it was assessed")), rows)
    if answer.steps or answer.notes:
        yield Notes((*answer.steps, *answer.notes))


def _result(result: PointResult, text: str) -> tuple[Cell, ...]:
    figures = ("–" if points is None else f"{points:.1f}" for points in (result.cost, result.gain))
    return (
        Cell(str(result.number), Tone.DIM, is_number=True),
        _extent(result),
        *(Cell(each, Tone.DIM if each in ("0.0", "–") else Tone.PLAIN, is_number=True) for each in figures),
        Cell(parts=tuple(_how(result, text))),
    )


def _how(result: PointResult, text: str) -> Iterator[Part]:
    if result.detail:
        yield Part(PartKind.TEXT, result.detail)
    if result.evidence:
        evidence = ", ".join(quoted(span.of(text)) for span in result.evidence[:_MOST_EVIDENCE])
        yield Part(PartKind.EVIDENCE, evidence, "evidence")
    if result.carried_over:
        yield Part(PartKind.OWN, f"before this edit: the judge saw {result.carried_over}", tone=Tone.PARTLY)
    reasons = sum(bool(each.reflection) for each in result.verdicts)
    for each in result.verdicts:
        reflection = "" if each.reflection == result.detail else each.reflection  # nothing is said twice
        if not result.detail_has_verdicts:
            yield Part(PartKind.REMARK, reflection, ": ".join(filter(None, (each.judge, each.verdict))))
        elif reflection:
            yield Part(PartKind.REMARK, reflection, each.judge if reasons > 1 else "")


# --- Cases, and who judged


def _cases(found: CaseReport) -> Iterator[Block]:
    yield Heading(2, "Cases", "cases")
    if not found.cases:
        yield Line("The case file has no cases.")
        return
    states = ", ".join(f"{number} {state}" for state, number in found.counts.items())
    yield Line(f"{count(len(found.cases), 'case')}: {states}.")
    if found.ranking:
        yield Line(f"The rubric {found.ranking}.")
    columns = tuple(map(Column, ("case", "prompt", "label", "expected", "outcome", "why")))
    yield Table(columns, tuple(map(_case, found.cases)))


def _case(case: ReportedCase) -> tuple[Cell, ...]:
    return (
        Cell(case.name, is_head=True),
        Cell(Text(case.prompt)),
        Cell(", ".join(filter(None, (case.label, f"test answer: {case.test}" if case.test else "")))),
        Cell(Text(case.expected)),
        Cell(case.state, _STATES.get(case.state, Tone.DIM)),
        Cell(parts=tuple(_why(case))),
    )


def _why(case: ReportedCase) -> Iterator[Part]:
    yield Part(PartKind.TEXT, case.why)
    reason = ", ".join(filter(None, (in_quotes(case.reason) if case.reason else "", case.by)))
    if reason:
        yield Part(PartKind.TEXT, reason, tone=Tone.DIM)


def _assessors(assessors: Sequence[Assessor], none: str) -> Block:
    return Pairs(tuple((each.name, each.text) for each in assessors)) if assessors else Line(none, Tone.DIM)
