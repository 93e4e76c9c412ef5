"""What there is to say of a result beside its criteria, as rows below these: only where there is something to say."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluation.tool_use import ToolUse, call_text, calls_text, rule_text
from engine.scoring.explanation import bounds_text, others_text, points_text
from engine.scoring.explanation_builder import forgiven
from engine.scoring.what_if import (
    ceiling_text,
    number_text,
    obstacle_text,
    outcome_text,
    set_text,
    target,
    target_headline,
    target_notes,
)
from engine.study.case import CaseState
from studio.session.views.case_view import counts_text
from studio.session.views.result_view import ResultView
from studio.tui.panes.criteria_rows import CriteriaRow, criterion_text, heading, is_fixable, score_piece
from studio.tui.pieces import Piece
from studio.tui.tall_list import DIM, ERROR, MET, UNMET, WARNING, YOURS

_CASE_MARKS = {
    CaseState.PASSED: ("● ", MET),
    CaseState.FAILED: ("○ ", UNMET),
    CaseState.UNDECIDED: ("? ", DIM),
    CaseState.LABELLED: ("– ", DIM),
    CaseState.ORPHANED: ("! ", WARNING),
}
_LABELS = {True: "bad", False: "good", None: ""}
_A_CALL = 'A call is one line of TOOL_CALL {"name": "…", "arguments": {…}}, here and on Weval.'
_BESIDE = "Not in the score; a criterion can ask for the same and count."


def note_rows(view: ResultView) -> Iterator[CriteriaRow]:
    """All of them, each kind under its heading."""
    yield from _target_rows(view)
    yield from _advice_rows(view)
    yield from _tool_rows(view.tools)
    yield from _case_rows(view)
    yield from _published_rows(view)
    others = others_text(view.explanation.others, {"documented": "w", "weval-today": "w"})
    notes = tuple(filter(None, (others, *forgiven(view.explanation))))
    if notes:
        yield heading("notes", "to know")
        yield from (CriteriaRow(f"note:{number}", text) for number, text in enumerate(notes))


def _advice_rows(view: ResultView) -> Iterator[CriteriaRow]:
    """Whether the ideal is evidence, and what the score would be without ways; what else helps is in feet of rows."""
    explanation = view.explanation
    said_elsewhere = {each.met for group in explanation.groups() for each in (group, *group.points)}
    without_ways = [each for each in explanation.advice if each.after not in said_elsewhere]
    if not (explanation.against_ideal or view.circular or without_ways):
        return
    yield heading("why", "the rubric or the answer?")
    if explanation.against_ideal is not None:
        yield CriteriaRow("ideal", explanation.against_ideal.removeprefix("evidence: "))
    if view.circular:
        yield CriteriaRow("circular", view.circular, WARNING)
    for each in without_ways:
        text = f"{bounds_text(each.after.low, each.after.high)} with every way required"
        can_fix = each.span is not None and is_fixable(view, each.span)
        tail = (f"+{points_text(each.gain)}{'  f fix' if can_fix else ''}", YOURS if can_fix else MET)
        yield CriteriaRow("without-ways", text, tail=(tail,), to=each.span, can_fix=can_fix)


def _target_rows(view: ResultView) -> Iterator[CriteriaRow]:
    """What the score takes that the author expected."""
    if view.wanted is None or not view.is_scored:
        return
    found = target(view.explanation, view.wanted)
    ink = MET if found.is_reached else "" if found.is_reachable else WARNING
    yield heading("target", f"expected {number_text(found.wanted)} · t takes it away")
    said = tuple((note, DIM) for note in target_notes(found))
    yield CriteriaRow("target:summary", target_headline(found), ink, said=said)
    for number, each in enumerate(found.sets, 1):
        to, tail = each.points[0].assessment.point.subject_span, (f"→ {outcome_text(each)}", MET)
        yield CriteriaRow(f"target:{number}", set_text(each.points), lead=((f"{number:2} ", DIM),), tail=(tail,), to=to)
    for number, text in enumerate(filter(None, ("and others" if found.has_others else "", ceiling_text(found)))):
        yield CriteriaRow(f"target:more:{number}", text, DIM)
    for number, each in enumerate(found.obstacles):
        to = each.point.assessment.point.subject_span
        yield CriteriaRow(f"target:obstacle:{number}", obstacle_text(each), lead=(("! ", ERROR),), to=to)


def _case_rows(view: ResultView) -> Iterator[CriteriaRow]:
    """The labelled answers, and what they say of the rubric."""
    if view.cases is None or not view.cases.lines:
        return
    yield heading("cases", f"labelled answers · {counts_text(view.cases.lines)}")
    for number, line in enumerate(view.cases.rubric):
        yield CriteriaRow(f"cases-rubric:{number}", line.text, DIM, said=tuple((part, "") for part in line.parts))
    for line in view.cases.lines:
        name = (f"case {line.number}", _LABELS[line.is_bad], f"a test answer ({line.test})" if line.test else "")
        said = tuple((each, DIM) for each in (line.state.value, line.reason) if each)
        text = f"{', '.join(filter(None, name))}: {line.why}"
        yield CriteriaRow(f"case:{line.number}", text, lead=(_CASE_MARKS[line.state],), said=said)


def _published_rows(view: ResultView) -> Iterator[CriteriaRow]:
    """The published score of this answer, why it is another one, and criteria that are gone since."""
    published = view.explanation.published
    if published is None:
        return
    yield heading("published", f"published {points_text(published.score)}")
    for number, words in enumerate((*published.reasons, *published.since)):
        yield CriteriaRow(f"published:{number}", words)
    for number, gone in enumerate(published.gone):
        said = tuple((each, "") for each in dict.fromkeys(filter(None, (gone.detail, gone.reflection))))
        mark = score_piece(None if gone.broken else gone.extent, "–")
        text = f"{criterion_text(gone)} (no longer in the blueprint)"
        yield CriteriaRow(f"published:gone:{number}", text, DIM, lead=(mark,), said=said)


def _tool_rows(use: ToolUse | None) -> Iterator[CriteriaRow]:
    """Each call with its checks, lines that only look like calls, and the rules of the tool policy."""
    if use is None:
        return
    yield heading("tools", f"tools · {calls_text(use)} · not in the score")
    for place, (seen, line, checks) in enumerate(use.listed):
        found = [(each.text, each.as_it_should) for each in checks]
        found += [(f"breaks {rule_text(each)}", False) for each in use.broken if place in each.calls]
        said = [(f"a call in line {line} of the answer", DIM), *((text, _good(good)[1]) for text, good in found)]
        if not use.is_declared(seen.name):
            said.append((f"{seen.name} is not among the tools of this blueprint", WARNING))
        mark = _good(all(good for _, good in found)) if found else ("  ", "")
        yield CriteriaRow(f"call:{place}", call_text(seen, 200), lead=(mark,), evidence=(seen.line,), said=tuple(said))
    if len(use.trace.calls) > len(use.listed):
        yield CriteriaRow("call:more", f"and {len(use.trace.calls) - len(use.listed)} more calls", DIM)
    for slip in use.trace.slips:
        said = [(f"This looks like a call but is not one: {slip.reason}.", WARNING), (_A_CALL, DIM)]
        key, evidence, tail = f"slip:{slip.span.start}", (slip.span,), ("no call", WARNING)
        yield CriteriaRow(
            key, slip.text, DIM, lead=(("! ", WARNING),), tail=(tail,), evidence=evidence, said=tuple(said)
        )
    for each in use.findings:
        mark, evidence = _good(each.is_met), tuple(use.trace.calls[at].line for at in each.calls)
        key, said = f"rule:{each.key}:{each.tool or ''}", () if each.is_met else ((_BESIDE, DIM),)
        tail = ("kept" if each.is_met else "broken", mark[1])
        yield CriteriaRow(key, rule_text(each), lead=(mark,), tail=(tail,), to=each, evidence=evidence, said=said)


def _good(is_good: bool) -> Piece:
    return ("● ", MET) if is_good else ("○ ", UNMET)
