"""`studio report`: the reports of a blueprint and of a result file."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from engine.blueprint import Header
from engine.evaluation.events import Failed, Response, Scored
from engine.evaluation.result_json import Entry, dumps
from engine.models.secret import without_keys
from engine.report.report import Report, ReportSource, build_report, report_json
from engine.report.report_page import html_report, markdown_report
from engine.study.file_places import place_warning
from engine.study.result_files import ExplainedResult, explain_result
from engine.text.spans import NOWHERE
from studio.cli.frame import Unusable, finish, report_once, tell, write
from studio.cli.inputs import mark_results_shown, of_result, read_blueprint, stored
from studio.cli.options import Reported, report_others
from studio.session.evaluator import Evaluator
from studio.session.report_results import ReportMeans, report_source, shown_answers

_BY_SUFFIX = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".json": "json"}
_READ_BY_WEVAL = (".json", ".yml", ".yaml")


def reported(file: Path, asked: Reported, *, is_of_result: bool) -> None:
    """Print the report of a blueprint or of a result file, or write it to the file that is named. Raises `Unusable`."""
    form = asked.form or ("markdown" if asked.out is None else _BY_SUFFIX.get(asked.out.suffix.lower(), "markdown"))
    text = (_of_result if is_of_result else _of_blueprint)(file, asked, form)
    out = asked.out
    if out is None:
        finish(text)
    if out.suffix.lower() in _READ_BY_WEVAL and (warning := place_warning(out, file)) is not None:
        raise Unusable(warning)
    write(out, text)
    tell(f"The report is in {out}.")


def _of_blueprint(path: Path, asked: Reported, form: str) -> str:
    """The report of the blueprint at `path`, in a form. Blocks. Raises `Unusable`."""
    blueprint = read_blueprint(path)
    prompts = blueprint.chosen(asked.prompt_ids)
    for prompt, why in blueprint.not_run(asked.prompt_ids):
        tell(f"{prompt.id}: not reported. {why}")
    report = report_once("Stored answers and verdicts cannot be read")
    with stored(report, without=asked.no_stored) as (resources, cache):
        evaluator = Evaluator(cache, resources.javascript, judges_as=lambda: asked.panel)
        means = ReportMeans(resources, cache, evaluator, for_people=form != "json")
        source = asyncio.run(report_source(path, blueprint.parsed, prompts, asked.keys, means))
        report_others(each.outcome.explanation for each in source.entries if isinstance(each.outcome, Scored))
        cache.mark_shown(shown_answers(path, blueprint.parsed.blueprint, source))
    return _written(build_report(source), path, form)


def _of_result(path: Path, asked: Reported, form: str) -> str:
    """The report of the result file at `path`, in a form. Raises `Unusable`."""
    for_people = form != "json"
    explained = of_result(explain_result, path, asked.prompt_ids, asked.keys, asked.blueprint, for_people=for_people)
    file = explained.file
    config = file.config if isinstance(file.config, dict) else {}
    description = config.get("description")
    header = Header(NOWHERE, title=file.title, description=description if isinstance(description, str) else None)
    run = "" if file.timestamp is None else f"Weval ran it at {file.timestamp}."
    mark_results_shown(each.result for each in explained.results)
    entries = [_entry(each) for each in explained.results]
    notes = (run,) if run else ()
    return _written(build_report(ReportSource(header, path.name, datetime.now(UTC), entries, notes=notes)), path, form)


def _entry(explained: ExplainedResult) -> Entry:
    result, explanation = explained.result, explained.explanation
    if explanation is None:
        return Entry(result.prompt, result.bare_prompt.id, result.model, Failed(result.error or "no score"))
    answer = result.answer or Response("", ())
    return Entry(result.prompt, result.bare_prompt.id, result.model, Scored(answer, result.assessments, explanation))


def _written(report: Report, path: Path, form: str) -> str:
    if not report.prompts:
        raise Unusable(f"There is nothing to report of {path}: no ideal, and no stored answer.")
    match form:
        case "html":
            return without_keys(html_report(report))
        case "json":
            return dumps(report_json(report))
        case _:
            return without_keys(markdown_report(report))
