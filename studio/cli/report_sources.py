"""The reports of a blueprint and of a result file."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from engine.blueprint import Header
from engine.evaluation.events import Failed, Response, Scored
from engine.evaluation.result_json import Entry
from engine.report import Report, ReportSource, build_report
from engine.store import StoreUnavailable
from engine.text.spans import NOWHERE
from studio.cli.explained_results import ExplainedResult, explain_result
from studio.cli.frame import tell
from studio.cli.judge_options import Counted, report_others
from studio.cli.named_blueprint import read_blueprint
from studio.cli.shown_results import mark_results_shown
from studio.session.cache import Cache
from studio.session.evaluator import Evaluator
from studio.session.report_results import means_of, report_source, shown_answers
from studio.session.resources import Resources


def of_blueprint(
    path: Path, prompt_ids: Sequence[str], keys: Sequence[str], counted: Counted, *, for_people: bool
) -> Report:
    """The report of the blueprint at `path`. Blocks. Raises `Unusable`."""
    blueprint = read_blueprint(path)
    prompts = blueprint.chosen(prompt_ids)
    for name, why in blueprint.not_run(prompt_ids).items():
        tell(f"{name}: not reported. {why}")
    resources = Resources()
    cache = Cache(resources.store, _report, without_stored=counted.no_stored)
    try:
        evaluator = Evaluator(cache, resources.javascript, judges_as=lambda: counted.panel)
        means = means_of(resources, cache, evaluator, for_people=for_people)
        source = asyncio.run(report_source(path, blueprint.parsed, prompts, keys, means))
        report_others(each.outcome.explanation for each in source.entries if isinstance(each.outcome, Scored))
        cache.mark_shown(shown_answers(path, blueprint.parsed.blueprint, source))
        return build_report(source)
    finally:
        resources.close()


def of_result(path: Path, prompt_ids: Sequence[str], keys: Sequence[str], blueprint: Path | None, form: str) -> Report:
    """The report of the result file at `path`. Raises `Unusable`."""
    explained = explain_result(path, prompt_ids, keys, blueprint, form)
    file = explained.file
    config = file.config if isinstance(file.config, dict) else {}
    description = config.get("description")
    header = Header(NOWHERE, title=file.title, description=description if isinstance(description, str) else None)
    run = "" if file.timestamp is None else f"Weval ran it at {file.timestamp}."
    mark_results_shown(each.result for each in explained.results)
    entries = [_entry(each) for each in explained.results]
    return build_report(ReportSource(header, path.name, datetime.now(UTC), entries, notes=(run,) if run else ()))


def _entry(explained: ExplainedResult) -> Entry:
    result, explanation = explained.result, explained.explanation
    if explanation is None:
        return Entry(result.prompt, result.bare_prompt.id, result.model, Failed(result.error or "no score"))
    answer = result.answer or Response("", ())
    return Entry(result.prompt, result.bare_prompt.id, result.model, Scored(answer, result.assessments, explanation))


def _report(error: StoreUnavailable) -> None:
    tell(f"Stored answers and verdicts cannot be read: {error}")
