"""A report as one HTML file that loads nothing and runs nothing: for the screen, light or dark, and for paper."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence

from engine.glossary import WORDS
from engine.report.evidence_pieces import evidence_pieces
from engine.report.markup import Child, Markup, element, escaped, joined
from engine.report.report import (
    AnswerReport,
    Assessor,
    CaseReport,
    PointResult,
    PromptReport,
    Report,
    ReportedPoint,
    ReportedTurn,
)
from engine.report.report_spending import SPENDING_NOTE, Spent, spent_in_all
from engine.report.report_style import STYLE
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
from engine.text import in_quotes

_NOTHING = ("0.0", "–")


def html_report(report: Report) -> str:
    """The whole file. A policy in it forbids everything but its own style."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escaped(_one_line(report.title))}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
        f"{joined(_body(report)).html}\n</body>\n</html>\n"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _body(report: Report) -> Iterator[Markup]:
    yield element(
        "header",
        element("h1", _one_line(report.title), is_text=True),
        element("p", made_text(report), style="dim"),
        *([element("p", report.description, is_text=True)] if report.description else []),
        *(element("p", note) for note in report.notes),
    )
    yield element("main", *_main(report))
    yield element("footer", *_footer())


def _main(report: Report) -> Iterator[Markup]:
    if report.prompts:
        yield _grid(report)
    for number, prompt in enumerate(report.prompts, 1):
        yield _prompt(prompt, number)
    if report.cases is not None:
        yield _cases(report.cases)
    yield element(
        "section",
        element("h2", "Who judged, who graded", anchor="assessors"),
        *_assessors(report.judges, NOTHING_JUDGED),
        *_assessors(report.graders, NOTHING_GRADED),
    )
    if report.spent:
        yield _spent(report.spent)


def _spent(found: Sequence[Spent]) -> Markup:
    rows = [(element("dt", _one_line(each.name)), element("dd", each.text)) for each in found]
    return element(
        "section",
        element("h2", "What was spent", anchor="spent"),
        element("p", SPENDING_NOTE, style="dim"),
        element("dl", *(part for row in rows for part in row)),
        element("p", spent_in_all(found)),
    )


def _grid(report: Report) -> Markup:
    rows = [
        element(
            "tr",
            element("th", element("a", _one_line(prompt.name), to=f"prompt-{number}"), is_text=True, scope="row"),
            *(_grid_cell(prompt.answer(key)) for key in report.keys),
        )
        for number, prompt in enumerate(report.prompts, 1)
    ]
    totals = [element("td", total_text(total, len(report.prompts)), style="number") for total in report.totals]
    last = element("tr", element("th", "all prompts", scope="row"), *totals, style="total")
    heads = [_head("prompt"), *(_head(key, is_number=True) for key in report.keys)]
    return element("section", element("h2", "Scores"), _table(heads, [*rows, last], GRID_NOTE))


def _grid_cell(answer: AnswerReport | None) -> Markup:
    if answer is None:
        return element("td", "–", style="number dim")
    if answer.headline is None:
        return element("td", "failed", style="number unmet")
    return element("td", cell_figure(answer.headline), style=f"number {_colour(answer.headline.bounds.low, answer)}")


def _colour(low: float, answer: AnswerReport) -> str:
    if answer.headline is not None and answer.headline.is_open:
        return "dim"
    return "met" if low >= 1 else "unmet" if low <= 0 else "partly"


def _head(title: str, *, is_number: bool = False) -> Markup:
    return element("th", _one_line(title), style="number" if is_number else "", scope="col")


def _table(heads: Sequence[Markup], rows: Sequence[Markup], caption: str = "") -> Markup:
    titled = [element("caption", caption)] if caption else []
    table = element("table", *titled, element("thead", element("tr", *heads)), element("tbody", *rows))
    return element("div", table, style="scroll")


def _prompt(prompt: PromptReport, number: int) -> Markup:
    keys = [answer.key for answer in prompt.answers]
    return element(
        "section",
        element("h2", _one_line(prompt.name), anchor=f"prompt-{number}", is_text=True),
        *([element("p", prompt.description, style="dim", is_text=True)] if prompt.description else []),
        element("h3", "What was asked"),
        *([_turn("system prompt", prompt.system)] if prompt.system else []),
        *(_asked(turn) for turn in prompt.asked),
        element("h3", "Points"),
        *([_points(prompt, keys)] if prompt.points else [element("p", "This prompt has no points.")]),
        *(_answer(answer) for answer in prompt.answers),
    )


def _asked(turn: ReportedTurn) -> Markup:
    return _turn(turn_title(turn), turn.text)


def _turn(title: str, text: str | None) -> Markup:
    shown = [] if text is None else [element("div", text, is_text=True)]
    return element("div", element("div", title, style="role"), *shown, style="turn")


def _points(prompt: PromptReport, keys: Sequence[str]) -> Markup:
    results = [{result.point.number: result for result in answer.points} for answer in prompt.answers]
    rows = [
        element(
            "tr",
            element("td", str(point.number), style="number dim"),
            element("td", *_point(point)),
            *(_extent_cell(of_answer.get(point.number)) for of_answer in results),
        )
        for point in prompt.points
    ]
    return _table([_head(""), _head("point"), *(_head(key, is_number=True) for key in keys)], rows)


def _point(point: ReportedPoint) -> Iterator[Child]:
    yield element("code" if point.is_check else "span", point.text, is_text=True)
    place = point_place(point)
    if place:
        yield element("div", element("small", place), style="dim")
    if point.citation:
        yield element("div", element("small", "source: ", element("span", point.citation, is_text=True)), style="dim")


def _extent_cell(result: PointResult | None) -> Markup:
    if result is None or result.extent is None:
        return element("td", "–" if result is None else extent_figure(result), style="number dim")
    style = "met" if result.extent >= 1 else "unmet" if result.extent <= 0 else "partly"
    return element("td", extent_figure(result), style=f"number {style}")


def _answer(answer: AnswerReport) -> Markup:
    head = element("summary", element("strong", answer.figure), " · ", element("span", _one_line(answer.key)))
    return element("details", head, *_answer_parts(answer), is_open=True)


def _answer_parts(answer: AnswerReport) -> Iterator[Markup]:
    if answer.failure:
        yield element("p", answer.failure, style="unmet", is_text=True)
    if answer.headline is not None and answer.headline.details:
        yield element("p", answer.headline.details, style="dim")
    if answer.text:
        yield element("div", *_with_evidence(answer), style="answer", is_text=True)
    elif not answer.failure:
        yield element("p", "The answer is empty.", style="dim")
    if answer.points:
        figures = [_head(title, is_number=True) for title in ("point", "met", "cost", "gain")]
        yield _table([*figures, _head("how it was assessed")], [*map(_result, answer.points)])
    for note in (*answer.steps, *answer.notes):
        yield element("p", note, style="dim", is_text=True)


def _with_evidence(answer: AnswerReport) -> Iterator[Child]:
    for piece in evidence_pieces(answer.text, answer.points):
        yield element("mark", piece.text) if piece.is_evidence else piece.text
        if piece.ends:
            yield element("sup", ", ".join(map(str, piece.ends)))


def _result(result: PointResult) -> Markup:
    return element(
        "tr",
        element("td", str(result.point.number), style="number dim"),
        _extent_cell(result),
        *(element("td", text, style="number dim" if text in _NOTHING else "number") for text in figures_of(result)),
        element("td", *_how(result)),
    )


def _how(result: PointResult) -> Iterator[Child]:
    if result.detail:
        yield element("div", result.detail, is_text=True)
    if result.carried_over:
        yield element("div", f"before this edit: the judge saw {result.carried_over}", style="partly")
    for heading, reflection in verdict_texts(result):
        parts = [element("small", heading, style="dim")] if heading else []
        parts += [element("div", reflection, is_text=True)] if reflection else []
        yield element("div", *parts)


def _cases(cases: CaseReport) -> Markup:
    rows = [
        element(
            "tr",
            element("th", case.name, scope="row"),
            element("td", _one_line(case.prompt), is_text=True),
            element("td", case_label(case)),
            element("td", case.expected, is_text=True),
            element("td", case.state, style={"passed": "met", "failed": "unmet"}.get(case.state, "dim")),
            element("td", *_why(case.why, case.reason, case.by)),
        )
        for case in cases.cases
    ]
    heads = [_head(title) for title in ("case", "prompt", "label", "expected", "outcome", "why")]
    return element(
        "section",
        element("h2", "Cases", anchor="cases"),
        element("p", case_counts_text(cases)),
        *([element("p", f"The rubric {cases.ranking}.")] if cases.ranking else []),
        _table(heads, rows),
    )


def _why(why: str, reason: str, by: str) -> Iterator[Markup]:
    yield element("div", why, is_text=True)
    if reason:
        yield element("div", f"{in_quotes(reason)}{f', {by}' if by else ''}", style="dim", is_text=True)
    elif by:
        yield element("div", by, style="dim", is_text=True)


def _assessors(assessors: Sequence[Assessor], none: str) -> Iterator[Markup]:
    if not assessors:
        yield element("p", none, style="dim")
        return
    rows = [(element("dt", _one_line(each.name)), element("dd", assessor_text(each))) for each in assessors]
    yield element("dl", *(part for row in rows for part in row))


def _footer() -> Iterator[Markup]:
    yield element("p", "Words in this report:")
    rows = [(element("dt", word.name), element("dd", f"{word.of}. {word.meaning}")) for word in WORDS]
    yield element("dl", *(part for row in rows for part in row))
    yield element("p", "Made by Blueprint Studio. Nothing was sent to make it, and this file loads nothing.")
