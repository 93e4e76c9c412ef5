"""The scores of a run: the blueprint's, then one line for each prompt."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.blueprint import Role
from engine.evaluation.events import Failed
from engine.evaluation.headline import headline, overall
from engine.evaluation.result_json import Entry
from engine.parsing import Parsed
from engine.text.spans import in_quotes, visible
from studio.cli.verdicts_text import verdicts_text
from studio.session.views.figures import from_prompts

_LONGEST_WORDS = 40


def overview_text(file: Path, parsed: Parsed, entries: Sequence[Entry], advice: set[str], *, hint: bool) -> str:
    """The scores by each source of answers, then the judges of all prompts. A reason is given once. Safe to print.

    `hint`: name the options that show more. What the judges' lines advise is added to `advice`.
    """
    name = parsed.blueprint.header.title or file.name
    more = "\n  --details shows why, point by point; --prompt ID does for one prompt.\n" if hint else ""
    return visible("\n".join(_lines(name, parsed, entries, advice))) + f"\n{more}"


def _lines(name: str, parsed: Parsed, entries: Sequence[Entry], advice: set[str]) -> Iterator[str]:
    first_with: dict[str, str] = {}
    for key in dict.fromkeys(entry.key for entry in entries):
        of_key = [entry for entry in entries if entry.key == key]
        yield f"{_one_line(f'{name} · {key}')}: {_total(parsed, of_key)}"
        for each in of_key:
            yield f"  {_one_line(f'{_name(each)} · {key}')}: {_standing(each, first_with, advice)}"
    judged = [entry.judged for entry in entries if entry.judged is not None]
    if judged:
        yield f"\n{verdicts_text(judged, advice)}"


def _total(parsed: Parsed, entries: Sequence[Entry]) -> str:
    scored = [
        (entry.prompt.weight, headline(entry.outcome.explanation, entry.outcome.response))
        for entry in entries
        if not isinstance(entry.outcome, Failed)
    ]
    prompts = len(parsed.blueprint.prompts) + len(parsed.broken.unread)
    total = overall(scored, len(parsed.broken.unread))
    part = "" if len(scored) == prompts else f", {from_prompts(len(scored), prompts)}"
    return f"{'not scored' if total is None else total}{part}"


def _standing(entry: Entry, first_with: dict[str, str], told: set[str]) -> str:
    """The headline of a prompt, or why it has none; `first_with` are the reasons so far, with their prompts."""
    match entry.outcome:
        case Failed(title=title, detail=detail, advice=advice) as failure:
            reason = " ".join(f"{part.rstrip('.')}." for part in (title, detail, advice) if part and part not in told)
            first = first_with.setdefault(reason, entry.prompt_key)
            why = reason if first == entry.prompt_key else f"as {first}"
            return f"{failure_text(failure)}: {why}"
        case scored:
            return str(headline(scored.explanation, scored.response))


def failure_text(failure: Failed) -> str:
    """What became of an answer that has no score."""
    return "withheld by the provider's safety filter" if failure.withheld else "not scored"


def _name(entry: Entry) -> str:
    """The id of a prompt, with its first words where no id is written."""
    if entry.prompt.id_written:
        return entry.prompt_key
    asked = next((each.content for each in entry.prompt.messages if each.role is Role.USER and each.content), "")
    return f"{entry.prompt_key} {in_quotes(textwrap.shorten(asked, _LONGEST_WORDS, placeholder=' …'))}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
