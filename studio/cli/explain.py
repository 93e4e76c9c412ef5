"""`studio explain`: the arithmetic of a score, in words and numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from engine.evaluation.events import Failed
from engine.text import visible
from studio.cli.answers import NOTHING_ASKED, Asked, source_options, sources

if TYPE_CHECKING:
    from engine.scoring import Explanation


@click.command("explain", short_help="The arithmetic of a score, in words and numbers.")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--prompt", "prompt_ids", multiple=True, metavar="ID", help="Only this prompt; may be repeated.")
@source_options
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", help="How it is printed.")
@click.pass_context
def command(ctx: click.Context, file: Path, prompt_ids: tuple[str, ...], form: str, **answers: Any) -> None:
    """Explain a score: of a prompt of the blueprint FILE with a source of answers, or of a Weval result file.

    `studio explain BLUEPRINT --prompt ID --ideal` evaluates the prompt first. `studio explain RESULT.json` explains
    what stands in the file; there --model names the key of a result. Exit code: 0 explained, 1 a request or a check
    failed, 2 the arguments or the file cannot be used.
    """
    asked = Asked(**answers)
    explained = (_stored if _is_result(file) else _evaluated)(file, prompt_ids, asked)
    click.echo(_as_json(explained) if form == "json" else _as_text(explained), nl=False)
    ctx.exit(1 if any(each.failed for each in explained) else 0)


@dataclass(frozen=True, slots=True)
class _Explained:
    """One score to print; `problem` says why there is none. `stored` is what stands in the file it was read from."""

    prompt: str
    key: str
    explanation: Explanation | None
    problem: str = ""
    failed: bool = False
    stored: float | None = None

    @property
    def title(self) -> str:
        return " ".join(f"{self.prompt} · {self.key}".split())


def _is_result(file: Path) -> bool:
    """Whether FILE is a result and no blueprint: JSON with `evaluationResults`."""
    if file.suffix.lower() != ".json":
        return False
    try:
        data = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(data, dict) and "evaluationResults" in data


def _stored(file: Path, prompt_ids: tuple[str, ...], asked: Asked) -> list[_Explained]:
    from engine.evaluation.results import UnusableResult, read_result_file
    from engine.scoring import explain

    if replace(asked, models=()) != NOTHING_ASKED:
        raise click.UsageError("A result file has its answers in it: only --prompt and --model choose among them.")
    try:
        results = read_result_file(file).results
    except UnusableResult as error:
        raise click.UsageError(visible(f"{file}: {error}")) from error
    chosen = [
        result
        for result in results
        if (not prompt_ids or result.prompt.id in prompt_ids) and (not asked.models or result.model in asked.models)
    ]
    if not chosen:
        keys = sorted({f"{result.prompt.id} · {result.model}" for result in results})
        raise click.UsageError(visible(f"There is no such result in {file}. There are: {', '.join(keys) or 'none'}."))
    return [
        _Explained(
            result.prompt.id,
            result.model,
            explain(result.prompt, result.assessments) if result.error is None else None,
            result.error or "",
            result.error is not None,
            result.stored,
        )
        for result in chosen
    ]


def _evaluated(file: Path, prompt_ids: tuple[str, ...], asked: Asked) -> list[_Explained]:
    from studio.cli.blueprints import chosen_prompts, read_blueprint
    from studio.cli.keeping import Keeping
    from studio.cli.planning import Limits, Planning
    from studio.cli.running import evaluate_all, failed, wanted

    named = sources(asked, file)
    if not prompt_ids:
        raise click.UsageError("Name the prompt to explain with --prompt.")
    parsed = read_blueprint(file)
    prompts = chosen_prompts(parsed, prompt_ids)
    planning = Planning(parsed.blueprint, wanted(parsed.blueprint, prompts, named), None, Limits())
    planning.tell()
    explained: list[_Explained] = []
    for entry in evaluate_all(parsed.blueprint, prompts, named, Keeping(file, fresh=False), planning):
        match entry.outcome:
            case Failed(title=title, detail=detail, advice=advice):
                problem = " ".join(part for part in (title, detail, advice) if part)
                explained.append(_Explained(entry.prompt_key, entry.key, None, problem, failed=True))
            case scored:
                explained.append(_Explained(entry.prompt_key, entry.key, scored.explanation, failed=failed(entry)))
    return explained


def _as_text(explained: Sequence[_Explained]) -> str:
    from studio.cli.score_text import explained_text

    pieces: list[str] = []
    for each in explained:
        if each.explanation is None:
            pieces.append(visible(f"{each.title}: not scored\n  {each.problem}\n"))
        else:
            pieces.append(f"{explained_text(each.title, each.explanation)}\n")
            if each.stored is not None:
                pieces.append(_held(each.stored, each.explanation))
    return "\n".join(pieces)


def _held(stored: float, explanation: Explanation) -> str:
    """What stands in the file, and whether its own points add up to that."""
    computed = explanation.weval.stored
    doubt = "" if computed is None or abs(computed - stored) < 0.005 else ", which is not what its points add up to"
    return f"  the file holds {stored:.2f}{doubt}\n"


def _as_json(explained: Sequence[_Explained]) -> str:
    from engine.evaluation.export import dumps, explanation_json

    return dumps(
        [
            {
                "prompt": each.prompt,
                "key": each.key,
                "stored": each.stored,
                "error": each.problem or None,
                "explanation": None if each.explanation is None else explanation_json(each.explanation),
            }
            for each in explained
        ]
    )
