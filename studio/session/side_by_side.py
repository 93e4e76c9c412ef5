"""Reading the answers to one prompt side by side, unscored: marking them, and making criteria and cases of passages.

Nothing is sent, and no rubric is needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Protocol

from engine.blueprint import Block, Role
from engine.evaluation.sources import ControlKind
from engine.evidence.passages import sentences
from engine.rules.rubric_edits import Refusal, as_wording, cited, new_criterion
from engine.scoring.explanation import point_label
from engine.scoring.sums import place as place_points
from engine.study.case import Case, Label, NamedPoint, prompt_names
from engine.study.case_writer import CaseMark
from engine.study.criterion_counts import placed_label
from engine.text.record import Record, replace
from engine.text.spans import NOWHERE, in_quotes, one_line, visible
from studio.session.fixes import TextChange
from studio.session.host import Choice, Choose, EnterText, Severity
from studio.session.new_cases import case_grades, named_point, point_choices
from studio.session.parts import Part
from studio.session.prompt_answers import answers_to_read, newest_stored, with_cases
from studio.session.questions import EditQuestion
from studio.session.rescoring import messages_of
from studio.session.views.answers_view import AnswersView, AnswerView, MarkKind, answer_view, mark_view
from studio.session.views.figures import now

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.store import PromptPlace
    from engine.study.known_answers import KnownAnswer
    from engine.text.spans import Span, TextEdit
    from studio.session.analysis import Analysis
    from studio.session.prompt_answers import KnownAnswers

_OF_REASON, _OF_PASSAGE = "reason", "passage"
_LABELS = [
    Choice("GOOD", "Good", "The rubric should rank it above every bad answer."),
    Choice("BAD", "Bad", "The rubric should rank it below every good answer."),
    Choice("FAILS", "Bad in this way …", "It should fail one criterion of the rubric."),
]
_TESTS = {
    ControlKind.EMPTY: "empty",
    ControlKind.REFUSAL: "a refusal",
    ControlKind.ECHO: "the prompt repeated",
    ControlKind.STUFFING: "criteria pasted",
}
_TEST = "A test answer is listed, and counted nowhere: a refusal is often the right answer. What is it?"
_TEST_LABELS = [
    Choice("good", "Good", "It is the right answer here."),
    Choice("bad", "Bad", "The rubric should not reward it."),
]
_NO_TEST = "none"
_WHY = {
    MarkKind.GOOD: ("Good", "Why is it good? One line, which you may leave empty."),
    MarkKind.BAD: ("Bad", "Why is it bad? One line, which you may leave empty."),
    MarkKind.FAILS: ("Bad in this way", "In which way is it bad? One line."),
}
_BLOCKS = {Block.SHOULD: "A good answer does this.", Block.SHOULD_NOT: "An answer that does this loses points."}
_LONGEST_NAME = 70
_short = partial(one_line, longest=120)


class BlueprintText(Protocol):
    """The text of the blueprint, as the one who edits it."""

    async def checked(self) -> Analysis:
        """The analysis of the newest text."""
        ...

    def apply(self, change: TextChange) -> bool:
        """Make a change as one step of undo. Returns False if the text is another by now; the author is told."""
        ...

    def undo(self) -> None:
        """Take back the last change."""
        ...


class Side(Record, eq=False):
    """The answers to `prompt`, as it was then, and how they are shown."""

    prompt: Prompt
    name: str
    place: PromptPlace
    answers: KnownAnswers
    view: AnswersView


class SideBySide(Part):
    """The answers to the prompt that was under the cursor when it was opened, and what the author does with them."""

    # --- Reading

    async def open(self, analysis: Analysis) -> bool:
        """Read the answers to the prompt under the cursor; whether there are any. The author is told if not."""
        prompt = analysis.prompt_at(self.state.cursor)
        if prompt is None:
            self._notify("Put the cursor into a prompt: its answers are read side by side.")
            return False
        place, chosen, selection = analysis.place(prompt), self.state.choice.answers, self.runs.selection
        stored = await self.session.stored(partial(newest_stored, place), ())
        answers = await asyncio.to_thread(
            answers_to_read,
            self.state.path,
            analysis.blueprint,
            prompt,
            stored,
            runs=selection.of_prompt(place),
            written=selection.written(place),
            sources=() if chosen is None else chosen.sources,
        )
        if not answers.every:
            self._notify("There are no answers to this prompt yet. F9 chooses models, F5 runs them; then come back.")
            return False
        view = AnswersView(prompt.id, _question(prompt), (), prompt.render_as)
        await self._show(Side(prompt, prompt_names(analysis.blueprint)[prompt.index], place, answers, view))
        return True

    @property
    def view(self) -> AnswersView:
        """The answers, in an order that stays. Call it after `open`."""
        return self._side.view

    def answers_shown(self, keys: Iterable[str]) -> None:
        """Record that these answers are on the screen: from now on, nobody sees them for the first time."""
        side, wanted = self._side, set(keys)
        self.runs.shown.mark(side.place, [each.subject for each in side.answers.every if each.key in wanted])

    @property
    def _side(self) -> Side:
        assert self.state.side is not None
        return self.state.side

    def _answer(self, key: str) -> KnownAnswer:
        return next(each for each in self._side.answers.every if each.key == key)

    async def _show(self, side: Side) -> None:
        known = {each.key: each.sentences for each in side.view.answers}  # they are cut once
        views = await asyncio.to_thread(_views, side.answers.every, known)
        note = " ".join(each for each in (side.answers.problem, *side.answers.file_problems) if each)
        self.change(side=replace(side, view=replace(side.view, answers=views, note=note)))

    async def _read_cases(self) -> None:
        """Read the cases again; each answer keeps its place."""
        side, header = self._side, self.analysis.header
        answers = await asyncio.to_thread(with_cases, side.answers, self.state.path, side.prompt, side.name, header)
        await self._show(replace(side, answers=answers))

    async def _present(self, text: BlueprintText) -> tuple[Analysis, Prompt] | None:
        """The prompt in the newest text; None if it is not there any more, or asks something else."""
        analysis = await text.checked()
        names = prompt_names(analysis.blueprint)
        prompt = next((each for each in analysis.blueprint.prompts if names[each.index] == self._side.name), None)
        if prompt is None or messages_of(prompt) != messages_of(self._side.prompt):
            self._notify("The prompt has changed since these answers were opened: go back, and open them again.")
            return None
        return analysis, prompt

    def _notify(self, message: str) -> None:
        self.host.notify(visible(message))

    # --- Marking

    async def mark(self, key: str, kind: MarkKind, passage: str, text: BlueprintText) -> None:
        """Mark an answer, after asking why. `passage` is what a new criterion may be worded from."""
        await self._mark(key, kind, passage, text, quote=None)

    async def make_case(self, key: str, passage: str, text: BlueprintText) -> None:
        """Make a case of an answer, with a passage of it as its quote; of a case, change the quote."""
        case = self._answer(key).case
        if case is not None:
            await self._change(case, replace(CaseMark.of(case), quote=passage))
            return
        question = Choose("Make a case of this answer", f"Its quote: {in_quotes(_short(passage))}", _LABELS)
        chosen = await self.host.ask(question)
        if chosen is not None:
            await self._mark(key, MarkKind[chosen], passage, text, quote=passage)

    async def _mark(self, key: str, kind: MarkKind, passage: str, text: BlueprintText, quote: str | None) -> None:
        answer = self._answer(key)
        if not await self.runs.case_file.may_write():
            return
        title, why = _WHY[kind]
        before = "" if answer.case is None else answer.case.reason or ""
        question = EnterText(title, why, as_wording(before), optional=kind is not MarkKind.FAILS)
        reason = await self.host.ask(question)
        if reason is None:
            return
        fails = None
        if kind is MarkKind.FAILS:
            fails = await self._failed_point(passage, reason, text)
            if fails is None:
                return
        label = {MarkKind.GOOD: Label.GOOD, MarkKind.BAD: Label.BAD, MarkKind.FAILS: None}[kind]
        if answer.case is not None:
            before = CaseMark.of(answer.case)
            kept = quote or before.quote
            if answer.case.is_bad is not (kind is not MarkKind.GOOD):
                kept = quote
            await self._change(answer.case, CaseMark(label, fails, reason or None, kept, before.test))
        else:
            await self._add_marked(answer, CaseMark(label, fails, reason or None, quote, answer.refusal))

    async def _failed_point(self, passage: str, reason: str, text: BlueprintText) -> NamedPoint | None:
        """The point that an answer fails: one of the rubric, or a new criterion."""
        found = await self._present(text)
        if found is None:
            return None
        choices = [*point_choices(found[1]), Choice(_OF_REASON, "A new criterion, of your reason …", reason)]
        if passage:
            choices.append(Choice(_OF_PASSAGE, "A new criterion, of the passage …", _short(passage)))
        question = Choose("Bad in this way", "Which criterion does this answer fail?", choices)
        chosen = await self.host.ask(question)
        wordings = {_OF_REASON: reason, _OF_PASSAGE: passage}
        if chosen is None:
            return None
        if chosen in wordings:
            return await self._new_criterion(wordings[chosen], text, (Block.SHOULD_NOT, Block.SHOULD))
        return named_point(found[1], int(chosen))

    async def mark_test(self, key: str) -> None:
        """Let the author say that an answer is a test answer, such as a refusal, or that it is none."""
        answer = self._answer(key)
        if not await self.runs.case_file.may_write():
            return
        before = CaseMark() if answer.case is None else CaseMark.of(answer.case)
        choices = [Choice(kind, _TESTS[kind].capitalize()) for kind in ControlKind]
        if before.test is not None:
            choices.append(Choice(_NO_TEST, "No test answer", "It counts like any other."))
        chosen = await self.host.ask(Choose("A test answer", _TEST, choices))
        if chosen is None:
            return
        test = None if chosen == _NO_TEST else ControlKind(chosen)
        if answer.case is not None:
            await self._change(answer.case, replace(before, test=test))
            return
        label = await self.host.ask(Choose("A test answer", "Is it right here?", _TEST_LABELS))
        if label is not None:
            await self._add_marked(answer, CaseMark(Label(label), test=test))

    async def take_back(self, key: str) -> None:
        """Take the mark of an answer back: its case is removed, after asking if it holds more than the mark."""
        case = self._answer(key).case
        if case is None:
            self._notify("This answer is not marked.")
            return
        text = lost_text(case, await self.runs.case_file.author())
        if text:
            choices = [Choice("remove", "Remove the case"), Choice("keep", "Keep it")]
            if await self.host.ask(Choose("Take the mark back", visible(text), choices)) != "remove":
                return
        path = await self.runs.case_file.remove(case)
        if path is not None:
            self._notify(f"The mark is taken back: case {case.number} is removed from {path.name}.")
        await self._read_cases()

    async def _add_marked(self, answer: KnownAnswer, mark: CaseMark) -> None:
        grades = await asyncio.to_thread(self.session.cache.grades, self._side.place, answer.subject)
        case = Case(0, NOWHERE, self._side.name, NOWHERE, answer.turns, model=answer.model, is_edited=answer.is_edited)
        case = mark.put_on(replace(case, grades=case_grades(grades)))
        await self._add(case, mark_view(case).text)

    async def _add(self, case: Case, said: str) -> None:
        added = await self.runs.case_file.add(case)
        if added is not None:
            self._notify(f"Case {added[0]} is in {added[1].name}: {said}.")
        await self._read_cases()

    async def _change(self, case: Case, mark: CaseMark) -> None:
        changed = await self.runs.case_file.mark(case, mark)
        if changed is not None:
            after, path = changed
            is_quoted = mark.quote and mark.quote != case.quote
            quoted = f", with the quote {in_quotes(_short(mark.quote or ''))}" if is_quoted else ""
            lost = " Its range of scores went with the mark before." if case.score and not after.score else ""
            self._notify(f"Case {case.number} in {path.name}: {mark_view(after).text}{quoted}.{lost}")
        await self._read_cases()

    async def edit_as_bad(self, key: str) -> None:
        """Let the author edit a copy of an answer, and make it a bad case."""
        answer = self._answer(key)
        if not await self.runs.case_file.may_write():
            return
        at = await self._turn(answer)
        if at is None:
            return
        before = answer.turns[at]
        title = f"Edit a copy: {answer.label}"
        accepting = "saves the copy as a bad case, if it is changed"
        text = await self.host.ask(EditQuestion(title, before, accepting=accepting))
        if text is None or text == before:
            return
        turns = (*answer.turns[:at], text, *answer.turns[at + 1 :])
        same = next((case for case in self._side.answers.cases if case.turns == turns), None)
        if same is not None:
            await self._change(same, CaseMark(Label.BAD, None, same.reason, same.quote, same.test))
            return
        case = Case(0, NOWHERE, self._side.name, NOWHERE, turns, Label.BAD, model=answer.model, is_edited=True)
        await self._add(case, "your edited copy, bad. It stands behind the others")

    async def _turn(self, answer: KnownAnswer) -> int | None:
        """The turn to edit: the only one, or the one that the author chooses."""
        if len(answer.turns) == 1:
            return 0
        choices = [Choice(str(at), f"Turn {at + 1}", _short(turn)) for at, turn in enumerate(answer.turns)]
        chosen = await self.host.ask(Choose("Edit a copy", "Which turn of this answer?", choices))
        return None if chosen is None else int(chosen)

    # --- Criteria and quotes

    async def make_criterion(self, passage: str, text: BlueprintText) -> None:
        """Make a criterion of a passage, worded by the author, and write it into the rubric of the prompt."""
        made = await self._new_criterion(passage, text)
        if made is not None:
            self._notify(f"The criterion is in `{made.block}` of {self._side.prompt.id}. Ctrl+Z undoes it.")

    async def _new_criterion(
        self, passage: str, text: BlueprintText, blocks: Sequence[Block] = tuple(_BLOCKS)
    ) -> NamedPoint | None:
        """Ask for the wording and the block of a criterion, and write it; None if it was not written."""
        if self.runs.session.refuses_change():
            return None
        ask = self.host.ask
        what = "What should, or should not, an answer do? In one sentence."
        wording = await ask(EnterText("A new criterion", what, as_wording(passage)))
        if wording is None:
            return None
        choices = [Choice(block, block.value, _BLOCKS[block]) for block in blocks]
        title = self._side.prompt.id
        chosen = await ask(Choose(f"A new criterion for {title}", in_quotes(wording), choices))
        found = None if chosen is None else await self._present(text)
        if chosen is None or found is None:
            return None
        block = Block(chosen)
        edits = await asyncio.to_thread(new_criterion, found[0].parsed, found[1], block, as_wording(wording))
        if not self._apply(found[0], edits, text):
            return None
        return NamedPoint(as_wording(wording), block)

    async def quote(self, key: str, passage: str, text: BlueprintText) -> None:
        """Make a passage the quote of a case or the citation of a criterion, which the author chooses."""
        found = await self._present(text)
        if found is None:
            return
        case, prompt = self._answer(key).case, found[1]
        mine = "The case of this answer" if case is None else f"Case {case.number}: {mark_view(case).text}"
        before = None if case is None else case.quote
        detail = f"Replaces {in_quotes(_short(before))}." if before else "The passage that shows why."
        choices = [Choice("case", mine, detail)]
        for at, placed in enumerate(place_points(prompt)):
            if placed.point.text is not None:
                name = placed_label(placed, _LONGEST_NAME)
                has = placed.point.citation
                replaced = f"Replaces its citation, {in_quotes(_short(has))}." if has else ""
                choices.append(Choice(str(at), name, replaced or "Its citation in the blueprint."))
        question = Choose("The quote of …", in_quotes(_short(passage)), choices)
        chosen = await self.host.ask(question)
        if chosen == "case":
            await self.make_case(key, passage, text)
        elif chosen is not None and not self.runs.session.refuses_change():
            edits = await asyncio.to_thread(cited, found[0].parsed, prompt, int(chosen), as_wording(passage))
            if self._apply(found[0], edits, text):
                name = point_label(prompt.points()[int(chosen)], _LONGEST_NAME)
                self._notify(f"The passage is the citation of {name}. Ctrl+Z undoes it.")

    def _apply(self, analysis: Analysis, edits: Sequence[TextEdit] | Refusal, text: BlueprintText) -> bool:
        if isinstance(edits, Refusal):
            self.host.notify(f"Nothing was changed: {edits.message}.", Severity.WARNING)
            return False
        return text.apply(TextChange(analysis.revision, edits))


def lost_text(case: Case, by: str | None) -> str:
    """What is lost if a case is removed beside the author's own mark; "" for nothing."""
    others = dict.fromkeys(grade.by for grade in case.grades if grade.by not in (None, by))
    grades = f"grades by {', '.join(map(str, others))}" if others else "grades"
    held = (("its range of scores", case.score), (grades, case.grades), ("verdicts", case.verdicts))
    more = [name for name, has in held if has]
    lines = [f"{case.by} marked this answer, in case {case.number}."] if case.by not in (None, by) else []
    if more:
        lines.append(f"Case {case.number} also has {' and '.join(more)}, which are removed with it.")
    return " ".join(lines)


def _views(answers: Iterable[KnownAnswer], known: Mapping[str, tuple[Span, ...]]) -> tuple[AnswerView, ...]:
    """The answers as they are shown; `known` are the sentences of some, by key."""
    moment = now()
    return tuple(answer_view(each, known.get(each.key) or sentences(each.subject), moment) for each in answers)


def _question(prompt: Prompt) -> str:
    """What the prompt asks last, on one line."""
    asked = [message.content for message in prompt.messages if message.role is Role.USER and message.content]
    return one_line(asked[-1]) if asked else ""
