"""Writing a report of the open blueprint to a place that the author chooses."""

from __future__ import annotations

import asyncio
from pathlib import Path

from engine.author_files import write_author_file
from engine.report import build_report, html_report, markdown_report
from engine.text import visible
from engine.workspace.output_places import results_folder
from studio.session.cache import Cache
from studio.session.evaluator import Evaluator
from studio.session.host import EnterText, Severity
from studio.session.report_results import means_of, report_source, shown_answers
from studio.session.result_export import ask_where
from studio.session.session_context import SessionContext
from studio.session.shown_record import ShownRecord

_MARKDOWN = (".md", ".markdown")
_TEXT = (
    "The ideals and the newest stored answers, by the present rubrics, in one file that loads nothing. A name that "
    "ends in .md makes it Markdown. Nothing is sent."
)


async def write_report(context: SessionContext, cache: Cache, evaluator: Evaluator, shown: ShownRecord) -> None:
    """Ask for a place, and write the report there."""
    analysis, host, path = context.document.analysis, context.host, context.document.path
    if analysis is None or not analysis.blueprint.prompts:
        host.notify("There is no prompt to report of yet.", seconds=4)
        return
    folder = await asyncio.to_thread(results_folder, path)
    name = f"{path.name.partition('.')[0]}-report.html"
    out = await ask_where(host, name, EnterText("Report", _TEXT, ""), folder, path)
    if out is None:
        return
    if context.before_run is not None:
        await context.before_run()
    means = await asyncio.to_thread(means_of, context.resources, cache, evaluator)
    source = await report_source(path, analysis.parsed, analysis.blueprint.prompts, (), means)
    report = build_report(source)
    if not report.prompts:
        host.notify("There is nothing to report yet: no prompt has an ideal or a stored answer.", seconds=5)
        return
    form = markdown_report if out.suffix.lower() in _MARKDOWN else html_report
    text = await asyncio.to_thread(form, report)
    try:
        written = await asyncio.to_thread(_write, out, folder, name, text)
    except OSError as error:
        host.notify(f"{out} cannot be written: {error.strerror or error}.", Severity.ERROR)
        return
    for place, subject in shown_answers(path, analysis.blueprint, source):
        shown.mark(place, [subject])
    host.notify(f"The report is in {visible(str(written))}.", seconds=8)


def _write(out: Path, folder: Path, name: str, text: str) -> Path:
    """Write `text` to `out`, or into it under `name` if it is a folder; the path of the file. Raises `OSError`."""
    if out.parent == folder:
        folder.mkdir(parents=True, exist_ok=True)
    path = out / name if out.is_dir() else out
    write_author_file(path, text.encode("utf-8"))
    return path
