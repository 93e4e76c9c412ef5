"""The run configuration of a file: where answers come from, the candidate that is shown, and judges."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from engine.evaluation.sources import (
    AnswerSource,
    Candidate,
    IdealSource,
    ModelSource,
    SavedSource,
    candidates,
    saved_source,
)
from engine.files.user_settings import SavedAnswers, Settings
from engine.judging.panel import JudgesAs, OneJudge, Panel, panel
from engine.models.secret import without_password
from engine.text.record import Record, replace
from studio.session import model_status
from studio.session.host import Severity
from studio.session.parts import Part, remembered
from studio.session.questions import AnswerQuestion, JudgeQuestion

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header
    from studio.session.model_status import Offer


class AnswerChoice(Record):
    """One or several answer sources, and the variants in which models are asked.

    `suffixes` are those of `Variant`; if the header has none of them, the first variant is used. `max_tokens` limits
    the answers of models; None for the default.
    """

    sources: tuple[AnswerSource, ...]
    suffixes: tuple[str, ...] = ()
    max_tokens: int | None = None

    def candidates(
        self, header: Header, tokens: int | None = None, seconds: float | None = None
    ) -> tuple[Candidate, ...]:
        """Every source in every chosen variant, at least one each. `tokens` and `seconds` are limits."""
        limit = self.max_tokens or tokens
        return tuple(each for source in self.sources for each in self._of(_within(source, limit, seconds), header))

    def _of(self, source: AnswerSource, header: Header) -> tuple[Candidate, ...]:
        found = candidates(source, header)
        return tuple(each for each in found if each.variant.suffix in self.suffixes) or found[:1]


def _within(source: AnswerSource, max_tokens: int | None, seconds: float | None) -> AnswerSource:
    if not isinstance(source, ModelSource):
        return source
    return replace(source, max_tokens=max_tokens or source.max_tokens, seconds=seconds or source.seconds)


def labels_of(chosen: tuple[Candidate, ...]) -> tuple[str, ...]:
    """The name of the candidates on the screen, then shorter forms: `the ideal`, or `gpt-4o-mini, temp 0.7`, or
    `test answer: empty and 5 more`, `test answer: empty +5`, `test answer +5`.
    """
    name, more = chosen[0].source.label, len(chosen) - 1
    kind = name.partition(": ")[0]
    if more:
        return f"{name} and {more} more", f"{name} +{more}", f"{kind} +{more}"
    return (chosen[0].label, kind) if kind != name else (chosen[0].label,)


def saved_form(answers: AnswerChoice, judges: JudgesAs | OneJudge | None = None) -> SavedAnswers:
    """The choice in the form of the settings."""
    first, *others = (source.saved for source in answers.sources)
    more = tuple(SavedAnswers(kind=each.kind, value=each.value, base_url=each.more) for each in others)
    return SavedAnswers(
        kind=first.kind,
        value=first.value,
        base_url=first.more,
        more=more,
        variants=answers.suffixes,
        judges=judges.model if isinstance(judges, OneJudge) else judges or "",
        judges_at=judges.base_url if isinstance(judges, OneJudge) else None,
        max_tokens=answers.max_tokens,
    )


def from_saved(saved: SavedAnswers) -> AnswerChoice | None:
    """The choice that was saved; None if none of its sources is known."""
    sources = tuple(saved_source(SavedSource(each.kind, each.value, each.base_url)) for each in (saved, *saved.more))
    known = tuple(each for each in sources if each is not None)
    return AnswerChoice(known, saved.variants, saved.max_tokens) if known else None


def judges_from_saved(saved: SavedAnswers) -> JudgesAs | OneJudge | None:
    """The judges that were saved; None for the author alone."""
    if saved.judges in list(JudgesAs):
        return JudgesAs(saved.judges)
    return OneJudge(saved.judges, saved.judges_at) if saved.judges else None


_JUDGES = {None: "you alone", JudgesAs.DOCUMENTED: "as documented", JudgesAs.WEVAL_TODAY: "as on Weval"}
_THE_IDEAL = AnswerChoice((IdealSource(),))


class RunConfiguration(Part):
    """The run configuration of one file, which the settings remember by its path."""

    async def restore(self) -> None:
        """Restore the choices that were last made for this file."""
        settings = await self.resources.settings.load()
        saved = settings.answers.get(self._settings_key)
        if saved is not None:
            self.set(answers=from_saved(saved), judges_as=judges_from_saved(saved))

    def set(self, **fields: object) -> None:
        """Set fields of the choice."""
        self.change(choice=replace(self.state.choice, **fields))

    @property
    def _settings_key(self) -> str:
        """The path of the file, as the settings can hold it: names on disk need not be UTF-8."""
        return str(self.state.path).encode("utf-8", "backslashreplace").decode("utf-8")

    # --- Candidates

    def candidates(self, header: Header) -> tuple[Candidate, ...]:
        """All candidates that run together, at least one."""
        usual, answers = self.resources.settings.values, self.state.choice.answers or _THE_IDEAL
        make = partial(answers.candidates, header, usual.max_tokens, usual.answer_seconds)
        return remembered(self.session, RunConfiguration.candidates, (header, answers), make, is_view=False)

    def candidate(self, header: Header) -> Candidate:
        """The candidate whose results are shown, and with which all prompts are run."""
        found = self.candidates(header)
        return found[self.state.choice.shown % len(found)]

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of the sources of answers on the screen, then shorter forms."""
        analysis = self.state.analysis
        return (IdealSource().label,) if analysis is None else labels_of(self.candidates(analysis.header))

    @property
    def judges_label(self) -> str:
        """Who judges criteria in words: `you alone`, `as documented`, `as on Weval`, or one model."""
        chosen = self.state.choice.judges_as
        return chosen.name if isinstance(chosen, OneJudge) else _JUDGES[chosen]

    def show_next(self, header: Header, by: int = 1) -> None:
        """Show the results of the next candidate."""
        count = len(self.candidates(header))
        self.set(shown=(self.state.choice.shown % count + by) % count)

    def show(self, header: Header, key: str) -> bool:
        """Show the results of the candidate with this key; whether there is one."""
        keys = [each.key for each in self.candidates(header)]
        if key in keys:
            self.set(shown=keys.index(key))
        return key in keys

    async def ask(self, *, has_ideal: bool) -> AnswerChoice | None:
        """Ask where answers come from; the new choice, None if the present one stays."""
        analysis = self.analysis
        current = self.state.choice.answers
        models, servers = self._offers(() if current is None else current.sources)
        embedded = await asyncio.to_thread(model_status.embedded)
        question = AnswerQuestion(
            current,
            has_ideal,
            analysis.models,
            (*models, embedded),
            servers,
            analysis.header,
            self.state.path,
            self.resources.settings.values.max_tokens,
        )
        answers = await self.host.ask(question)
        if answers is not None:
            await self.choose(answers)
        return answers

    def _offers(self, chosen: Iterable[object]) -> tuple[Sequence[Offer], Sequence[str]]:
        """The models to choose from, those that are chosen among them, and the addresses of servers with others."""
        models = [each for each in chosen if isinstance(each, ModelSource | OneJudge)]
        ids = [*self.analysis.models, *(each.model for each in models if each.base_url is None)]
        servers = [*self.resources.settings.values.servers, *(each.base_url for each in models if each.base_url)]
        return model_status.offers(ids), list(dict.fromkeys(servers))

    async def choose(self, answers: AnswerChoice) -> None:
        """Set where answers come from."""
        self.set(answers=answers, shown=0)
        await self._remember()

    # --- Judges

    async def ask_judges(self, header: Header) -> bool:
        """Ask which judges grade points in words; whether the author chose."""
        current = self.state.choice.judges_as
        chosen = await self.host.ask(JudgeQuestion(header, current, *self._offers([current])))
        if chosen is None:
            return False
        if isinstance(chosen.judges_as, OneJudge) and _has_secret(chosen.judges_as.base_url):
            text = "A model at an address with a password cannot judge: verdicts are saved with the address."
            self.host.notify(text, Severity.WARNING)
            return False
        self.set(judges_as=chosen.judges_as)
        await self._remember()
        return True

    def judges(self, header: Header) -> Panel | None:
        """The judges chosen, with those that had to be left out; None if nobody was chosen."""
        judges_as = self.state.choice.judges_as
        if judges_as is None:
            return None
        return remembered(self.session, RunConfiguration.judges, (header, judges_as), lambda: panel(header, judges_as))

    def panel(self, blueprint: Blueprint) -> Panel | None:
        """The judges chosen; None if there are none. A notification says so if some were chosen."""
        found = self.judges(blueprint.header)
        if found is None or found.judges:
            return found
        self.host.notify(f"There is no judge to ask: {'; '.join(found.left_out)}.", Severity.WARNING)
        return None

    async def _remember(self) -> None:
        answers, judges = self.state.choice.answers or _THE_IDEAL, self.state.choice.judges_as
        key, saved = self._settings_key, saved_form(answers, judges)
        chosen = (*answers.sources, *([judges] if isinstance(judges, OneJudge) else []))
        addresses = [each.base_url for each in chosen if isinstance(each, ModelSource | OneJudge)]
        servers = [each for each in addresses if each is not None and not _has_secret(each)]

        def remember(settings: Settings) -> None:
            settings.answers[key] = saved
            settings.servers = list(dict.fromkeys((*settings.servers, *servers)))

        await self.resources.settings.change(remember)


def _has_secret(address: str | None) -> bool:
    return address is not None and without_password(address) != address
