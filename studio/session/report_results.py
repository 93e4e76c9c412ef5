"""A report of a blueprint: the ideals and the newest stored answers, the cases, and the file. Nothing is sent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from engine.blueprint import unique_keys
from engine.blueprint.conversation import conversation, subject_text
from engine.evaluation.events import Response, Scored
from engine.evaluation.result_json import as_read
from engine.evaluation.sources import AnswerSource, IdealSource, ModelSource, candidates
from engine.models.prices import own_prices
from engine.report.report import Prices, ReportSource, build_report
from engine.report.report_page import html_report, markdown_report
from engine.store import PromptPlace
from engine.study.case import prompt_names
from engine.study.case_reader import read_cases
from engine.study.criterion_counts import Ranking, ranking_of
from engine.study.file_places import case_file_path, read_case_text
from engine.text.record import Record
from engine.text.spans import visible
from studio.session.evaluator import Cache, Evaluator
from studio.session.host import NotDone
from studio.session.resources import as_name
from studio.session.restored_answers import stored_runs
from studio.session.result_files import ask_where, entry_of, write_there
from studio.session.run import Run
from studio.session.views.answer_cost import model_price

if TYPE_CHECKING:
    from engine.blueprint import Blueprint, Header, Prompt
    from engine.evaluation.result_json import Entry
    from engine.parsing import Parsed
    from engine.store import Store
    from engine.study.case import CaseOutcome
    from studio.session.resources import Resources
    from studio.session.runs import Runs


_MARKDOWN = (".md", ".markdown")


class ReportMeans(Record):
    """What a report is made with. `for_people`: verdicts from before an edit count."""

    resources: Resources
    cache: Cache
    evaluator: Evaluator
    for_people: bool = True


async def report_source(
    path: Path, parsed: Parsed, prompts: Sequence[Prompt], keys: Sequence[str], means: ReportMeans
) -> ReportSource:
    """What is known of `prompts`, by the present rubrics. `keys` are the answers wanted, by their keys; all if empty.

    The ideal and, of each other source, the newest stored answer to the same question. Stored verdicts and grades
    count.
    """
    names, header = unique_keys(parsed.blueprint.prompts), parsed.blueprint.header
    store = await asyncio.to_thread(means.cache.tried, lambda store: store, None)
    settings = await means.resources.settings.load()
    entries: list[Entry] = []
    sources: dict[str, AnswerSource] = {}
    runs = await asyncio.to_thread(lambda: [run for each in prompts for run in _runs(parsed, each, store)])
    for run in runs:
        if keys and run.candidate.key not in keys:
            continue
        entry = entry_of(await means.evaluator.rescored(run, parsed.blueprint), names[run.prompt.index])
        if entry is not None:
            entries.append(entry if means.for_people else as_read(entry))
            sources[entry.key] = run.source
    outcomes, ranking, problem = await asyncio.to_thread(_cases, path, parsed, prompts, means)
    unread = "" if store is not None else "Stored answers could not be read, so only ideals are shown."
    return ReportSource(
        header,
        path.name,
        datetime.now(UTC),
        entries,
        outcomes,
        ranking,
        tuple(filter(None, (problem, unread))),
        await asyncio.to_thread(_prices, sources, header),
        as_name(settings.name),
        frozenset(settings.drafted),
    )


def shown_answers(path: Path, blueprint: Blueprint, source: ReportSource) -> Iterator[tuple[PromptPlace, str]]:
    """The answers and the cases in a report of the blueprint at `path`, each with its prompt."""
    for entry in source.entries:
        if isinstance(entry.outcome, Scored):
            yield PromptPlace.of(path, entry.prompt), entry.outcome.response.subject
    names = prompt_names(blueprint)
    places = {names[prompt.index]: PromptPlace.of(path, prompt) for prompt in blueprint.prompts}
    for outcome in source.outcomes or ():
        if outcome.scored is not None:
            yield places[outcome.case.prompt], outcome.scored.response.subject


def _runs(parsed: Parsed, prompt: Prompt, store: Store | None) -> Iterator[Run]:
    """The ideal of `prompt`, then the newest stored answer of each other source. Blocks."""
    if prompt.ideal is not None:
        header = parsed.blueprint.header
        thread, ideal = conversation(prompt, header).answered((prompt.ideal,)), candidates(IdealSource(), header)[0]
        response = Response(subject_text(thread), thread)
        yield Run.of(parsed, prompt, ideal, response=response)
    if store is not None:
        yield from stored_runs(parsed, prompt, store)


def _prices(sources: Mapping[str, AnswerSource], header: Header) -> Prices:
    """The known prices of the models among `sources`, by key, and of judges. Blocks."""
    own = own_prices()
    models = {key: source for key, source in sources.items() if isinstance(source, ModelSource)}
    return Prices(
        {key: model_price(source, header, own) for key, source in models.items()},
        lambda model: model_price(ModelSource(model), header, own),
    )


def _cases(
    path: Path, parsed: Parsed, prompts: Iterable[Prompt], means: ReportMeans
) -> tuple[tuple[CaseOutcome, ...] | None, Ranking | None, str]:
    """The outcomes of the cases of `prompts`, their ranking, and why they are missing, "" if they are not. Blocks."""
    text, problem = read_case_text(path)
    if problem or case_file_path(path) is None:
        return None, None, problem
    file, _ = read_cases(text)
    judges = means.evaluator.counted_panel(parsed.blueprint.header)
    javascript = means.resources.javascript()
    check = means.cache.case_check(path, parsed.blueprint, javascript, judges, for_people=means.for_people)
    wanted = {prompt.index for prompt in prompts}
    names = {name for name, prompt in check.prompts.items() if prompt.index in wanted}
    cases = [case for case in file.cases if case.prompt in names or case.prompt not in check.prompts]
    outcomes = check.outcomes(cases)
    ideals = check.ideals(dict.fromkeys(case.prompt for case in cases))
    return outcomes, ranking_of((*outcomes, *ideals)), ""


async def write_report(runs: Runs) -> None:
    """Ask for a place, and write the report there."""
    analysis, host, path = runs.state.analysis, runs.host, runs.state.path
    if analysis is None or not analysis.blueprint.prompts:
        raise NotDone("There is no prompt to report of yet.")
    name = f"{path.name.partition('.')[0]}-report.html"
    out = await ask_where(host, "report", "Report", name, path)
    await runs.session.file.write_journal()
    means = ReportMeans(runs.resources, runs.session.cache, runs.evaluator)
    source = await report_source(path, analysis.parsed, analysis.blueprint.prompts, (), means)
    report = build_report(source)
    if not report.prompts:
        raise NotDone("There is nothing to report yet: no prompt has an ideal or a stored answer.", seconds=5)
    form = markdown_report if out.suffix.lower() in _MARKDOWN else html_report
    written = await write_there(out, name, await asyncio.to_thread(form, report), path)
    for place, subject in shown_answers(path, analysis.blueprint, source):
        runs.shown.mark(place, [subject])
    host.notify(f"The report is in {visible(str(written))}.", seconds=8)
