"""Where answers come from and who judges: what a file has chosen, and the models to choose from."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Iterator, Sequence
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
from engine.models.chat import ProviderError
from engine.models.provider_registry import (
    HOSTED,
    LOOPBACK,
    FoundServer,
    discover_loopback,
    given_address,
    keys_found,
    models_offered,
    resolve,
)
from engine.models.secret import without_password
from engine.text.record import Record, replace
from engine.yaml.nodes import Data
from studio.session.host import (
    AnswerQuestion,
    EnterText,
    Host,
    JudgeQuestion,
    Severity,
    Unusable,
    answer_to,
    ask_until,
)
from studio.session.state import EMPTY, Part, remembered

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header, Prompt


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
        chosen: list[Candidate] = []
        for source in self.sources:
            if isinstance(source, ModelSource):
                most = self.max_tokens or tokens or source.max_tokens
                source = replace(source, max_tokens=most, seconds=seconds or source.seconds)
            found = candidates(source, header)
            chosen += [each for each in found if each.variant.suffix in self.suffixes] or found[:1]
        return tuple(chosen)


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
        """Set fields of the choice; no earlier run is on show any more."""
        self.change(choice=replace(self.state.choice, **fields), opened=EMPTY)

    @property
    def _settings_key(self) -> str:
        """The path of the file, as the settings can hold it: names on disk need not be UTF-8."""
        return str(self.state.path).encode("utf-8", "backslashreplace").decode("utf-8")

    # --- Candidates

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates that run together, at least one."""
        header, answers = self.analysis.header, self.state.choice.answers or _THE_IDEAL
        usual = self.resources.settings.values
        make = partial(answers.candidates, header, usual.max_tokens, usual.answer_seconds)
        return remembered(self.session, "candidates", (header, answers), make, is_view=False)

    @property
    def candidate(self) -> Candidate:
        """The candidate whose results are shown, and with which all prompts are run."""
        found = self.candidates
        return found[self.state.choice.shown % len(found)]

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of the sources of answers on the screen, then shorter forms."""
        return (IdealSource().label,) if self.state.analysis is None else labels_of(self.candidates)

    @property
    def judges_label(self) -> str:
        """Who judges criteria in words: `you alone`, `as documented`, `as on Weval`, or one model."""
        chosen = self.state.choice.judges_as
        return chosen.name if isinstance(chosen, OneJudge) else _JUDGES[chosen]

    def show_next(self) -> None:
        """Show the results of the next candidate."""
        count = len(self.candidates)
        self.set(shown=(self.state.choice.shown % count + 1) % count)

    def show(self, key: str) -> bool:
        """Show the results of the candidate with this key; whether there is one."""
        keys = [each.key for each in self.candidates]
        if key in keys:
            self.set(shown=keys.index(key))
        return key in keys

    async def ask(self, prompt: Prompt | None = None) -> AnswerChoice | None:
        """Ask where answers come from (to `prompt`, else to the one under the cursor); None if the choice stays."""
        analysis, prompt = self.analysis, prompt or self.state.prompt
        current = self.state.choice.answers
        models, servers = self._offers(() if current is None else current.sources)
        here = await asyncio.to_thread(embedded)
        question = AnswerQuestion(
            current,
            prompt is None or prompt.ideal is not None,
            analysis.models,
            (*models, here),
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
        return tuple(offers(ids)), list(dict.fromkeys(servers))

    async def choose(self, answers: AnswerChoice) -> None:
        """Set where answers come from."""
        self.set(answers=answers, shown=0)
        await self._remember()

    # --- Judges

    async def ask_judges(self) -> bool:
        """Ask which judges grade points in words; whether the author chose."""
        current = self.state.choice.judges_as
        chosen = await self.host.ask(JudgeQuestion(self.analysis.header, current, *self._offers([current])))
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


# --- Models to choose from

_MOST_ROWS = 12
"""A server with more models than these is one row, which lists them once it is chosen."""


class Offer(Record):
    """A model to choose, or a place whose models are listed once it is chosen: a provider's name, a server's address.

    One that is not `is_ready` cannot answer now, and its `detail` says what it needs.
    """

    label: str
    detail: str
    choice: ModelSource | str
    is_ready: bool = True


def offers(models: Sequence[Data]) -> Iterator[Offer]:
    """The models that a blueprint names or defines, without those of unknown providers; then the providers whose key is
    set.
    """
    for model in models:
        if isinstance(model, dict) and isinstance(name := model.get("id"), str):
            yield _defined(model, name)
    for model in dict.fromkeys(each for each in models if isinstance(each, str)):
        provider, colon, _ = model.partition(":")
        row = (HOSTED | LOOPBACK).get(provider) if colon else None
        if row is None:
            continue
        variable = row.key_variable if row.key_needed else None
        if variable is None:  # ready once `on_loopback` finds it
            yield _model(ModelSource(model), row.start_hint, is_ready=False)
        elif os.environ.get(variable):
            yield _model(ModelSource(model), f"{row.label}; its key is in {variable}")
        else:
            yield _model(ModelSource(model), f"no key: set {variable} and start again", is_ready=False)
    keys = keys_found()
    for provider, row in HOSTED.items():
        if row.key_variable in keys:
            yield Offer(f"{row.label} …", f"any of its models; its key is in {row.key_variable}", provider)


def embedded() -> Offer:
    """The embedded model, or what to do to install it. Blocks."""
    from engine.models.embedded import SMOLLM2, what_is_missing

    source = ModelSource(f"embedded:{SMOLLM2.name}")
    trouble = what_is_missing()
    if trouble is not None:
        return _model(source, trouble.advice, is_ready=False)
    return _model(source, f"{SMOLLM2.label}, on this machine; small, often wrong")


def _defined(definition: Data, name: str) -> Offer:
    """A model that the blueprint defines, or why it is not available."""
    try:
        provider, _ = resolve(name, None, [definition])
    except ProviderError as error:
        return _model(ModelSource(name), error.title, is_ready=False)
    return _model(ModelSource(name), f"this blueprint's own, on {provider.recipient}")


def _model(source: ModelSource, detail: str, *, is_ready: bool = True) -> Offer:
    return Offer(source.label, detail, source, is_ready)


async def on_loopback() -> list[Offer]:
    """The models of the servers that answer on this machine. Takes up to a second."""
    return [
        _model(ModelSource(model), f"{server.row.label}, on this machine")
        for server in await discover_loopback()
        for model in server.model_ids
    ]


async def on_servers(addresses: Sequence[str]) -> list[Offer]:
    """What the author's own servers offer. Takes up to ten seconds where one does not answer."""
    found = await asyncio.gather(*map(models_offered, addresses))
    return [offer for address, server in zip(addresses, found, strict=True) for offer in _of_server(address, server)]


def _of_server(address: str, server: FoundServer | None) -> list[Offer]:
    if server is None or server.wants_key:
        detail = "does not answer" if server is None else f"asks for a key: set {server.row.key_variable}"
        return [Offer(address, detail, address, is_ready=False)]
    if 0 < len(server.models) <= _MOST_ROWS:
        return [_model(ModelSource(name, address), f"your server, {address}") for name in server.models]
    return [Offer(f"{address} …", "your server; any of its models", address)]


# --- Asking for a model


async def ask_for_model_of(host: Host, place: str) -> ModelSource:
    """One of the models of a provider, or of the server at this address, which are listed. Raises `NotDone`.

    The name is written where there is no such list, and may be another where there is one.
    """
    row = HOSTED.get(place)
    server = await models_offered(place)
    names = () if server is None else server.models
    text = "Write a part of its name." if names else "There is no list of its models: write the name of one."
    if server is not None and server.wants_key:
        text = f"It refuses the key, or has none: set {server.row.key_variable}. You can write the name of a model."
    name = await answer_to(host, EnterText(f"A model of {place if row is None else row.label}", text, choices=names))
    return ModelSource(name, place) if row is None else ModelSource(f"{place}:{name}")


async def ask_for_server(host: Host) -> ModelSource:
    """One of the models of a server whose address the author writes. Raises `NotDone` if they cancel."""

    async def read(written: str) -> str:
        try:
            return given_address(written)
        except ProviderError as error:
            raise Unusable(f"{error.title}. {error.advice}") from error

    text = "The address up to /v1. If the server needs a key, set the environment variable BLUEPRINT_STUDIO_API_KEY."
    address = await ask_until(host, EnterText("A server", text, placeholder="http://127.0.0.1:8080/v1"), read)
    return await ask_for_model_of(host, address)


async def ask_for_any(host: Host) -> ModelSource:
    """The model whose id the author writes. Raises `NotDone` if they cancel."""
    text = "PROVIDER:MODEL, as in a blueprint's `models`."
    return ModelSource(await answer_to(host, EnterText("Another model", text, placeholder="openai:gpt-4o-mini")))


# --- What is ready


class Readiness(Record):
    """What can answer now, and what cannot, each with the command that makes it so."""

    ready: Sequence[str]
    missing: Sequence[str]


async def readiness(servers: Sequence[str]) -> Readiness:
    """What can answer: always, by a key, on a server of this machine or at these addresses, or embedded."""
    here, own = await asyncio.gather(discover_loopback(), on_servers(servers))
    local = await asyncio.to_thread(embedded)
    keys = [f"{row.label} by {row.key_variable}" for row in HOSTED.values() if row.key_variable in keys_found()]
    asking = [f"{each.row.label}: set {each.row.key_variable}" for each in here if each.wants_key]
    running = [f"{each.row.label} on this machine" for each in here if not each.wants_key]
    there = [*running, *dict.fromkeys(address_of(each) for each in own if each.is_ready)]
    ready = ["the ideal, your own answers, test answers", *keys, *there, *(["the embedded model"] * local.is_ready)]
    missing = [
        *([] if keys else ["a hosted model: set its key, such as OPENAI_API_KEY"]),
        *asking,
        *([] if there or asking else ["a model server: `ollama serve`"]),
        *(f"{each.label} {each.detail}" for each in own if not each.is_ready),
        *([] if local.is_ready else [f"the embedded model: {local.detail.removeprefix('Run ').rstrip('.')}"]),
    ]
    return Readiness(ready, missing)


def address_of(offer: Offer) -> str:
    """The address of a server that offers a model."""
    return offer.choice if isinstance(offer.choice, str) else offer.choice.base_url or ""
