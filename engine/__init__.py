"""The engine of Blueprint Studio: everything except the terminal.

Data flows one way: text → nodes → blueprint → diagnostics; prompt → conversation → assessments → score → explanation.
No module here imports `studio` or Textual. The functions below are the public API; each imports its package when it is
first called, so `import engine` is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable
    from pathlib import Path

    from engine.blueprint import Blueprint, Prompt
    from engine.evaluation.events import Event
    from engine.evaluation.sources import AnswerSource
    from engine.evaluation.verdicts import Judges
    from engine.functions.v8 import JavaScript
    from engine.parsing import Parsed
    from engine.scoring.assessment import Assessment
    from engine.scoring.sums import PointExtent
    from engine.text.diagnostics import Diagnostic

__all__ = ["aggregate", "check", "evaluate", "parse"]


def parse(text: str, path: Path | None = None) -> Parsed:
    """Read a blueprint as the documented format means it, and say what Weval makes of it.

    `text` is the whole file, decoded. `path` is read from nowhere: it only decides whether the text is JSON (it ends in
    `.json`) or YAML (all else, and None), and rules find model collections beside it.

    The result has:

    - `blueprint`: the header and the prompts that could be read, each point with its text or its function, its weight
      (0.1 to 10), and its node. There is always one, if need be without prompts;
    - `tree`: the nodes; `tree.error` is the error for which js-yaml 4.1 refuses the text, None if there is none;
    - `findings`: what is lost, refused or read differently, each with a kind, a span and a node;
    - `weval`: whether Weval reads the file (`ok`), or its first refusal, in its words;
    - `broken`: the parts that a YAML error hides.

    All spans are offsets in code points from the start of `text`, ends exclusive; `engine.text.spans.LineIndex` makes
    lines and columns of them. Raises nothing for what an author wrote. Takes milliseconds, in proportion to the text.

    Source: Blueprint format (002); Weval's parser as `docs/machine-readable.md` describes it.
    """
    from engine import parsing

    return parsing.parse(text, path)


def check(text: str, path: Path | None = None, *, javascript: JavaScript | None = None) -> tuple[Diagnostic, ...]:
    """All problems of a blueprint, in the order of the text; of several at one place, the most severe first.

    `text` and `path` are those of `parse`. Each diagnostic has a `code` (`Y009`) and a `slug` (`bad-point`), which are
    never reused; a `severity`; a `span` in code points, ends exclusive; a `message`, and `why` it matters to the score;
    `related` places; and `fixes`. A fix is a title and edits for `engine.text.spans.apply_edits`; one that is `safe`
    changes neither what is asked nor what is meant. `flagged`: the blueprint works here, and not on Weval.

    Rules that compile or run something (`bad-regex`, `ideal-fails`) run only if `javascript` is given: a V8 that
    `engine.functions.v8.JavaScript` starts in a process of its own, and that the caller closes. Nothing is sent
    anywhere, and no file is read but model collections in folders `models` above `path`. Comments
    `# studio: ignore[slug] reason` are obeyed. Raises nothing for what an author wrote. `engine.rules.Checker` does the
    same again and again for a text that changes, and checks only what is new.

    Source: the pages of the rules (`studio rules SLUG`), each of which names its document.
    """
    from engine import rules

    return rules.check(parse(text, path), javascript)


def evaluate(
    prompt: Prompt, blueprint: Blueprint, source: AnswerSource, *, javascript: JavaScript, judges: Judges | None = None
) -> AsyncIterator[Event]:
    """Run one prompt with one answer source, and yield what happens.

    `prompt` is one of `blueprint.prompts`, `source` one of `engine.evaluation.sources`: the ideal, a written, control,
    saved or published answer, or a model. `javascript` runs the checks; the caller closes it. Without `judges`,
    points in words stay open.

    The events, of `engine.evaluation.events`: `Delta`s while a model answers, one `Responded`, an `Assessed` for each
    point that was assessed, by its place in `prompt.points()`, and at the end `Scored`. `judges` add `JudgingBegan`,
    and a `JudgeAnswered` for each verdict. A run without a score ends with `Failed`, which says what happened and
    what to do. Extents, scores and bounds are 0–1, unrounded; seconds are wall time, `usage` counts tokens as the
    server does.

    Only a model and `judges` are sent anything; keys come from the environment. Raises nothing for what an author wrote
    or for a request that fails. Closing the iterator, or cancelling its task, ends every request.

    Source: 002 (points, paths, judges) and 000, part 3. `engine.evaluation.prompt_evaluation.evaluate` also takes
    grades, verdicts, services and turns that exist already.
    """
    from engine.evaluation import prompt_evaluation

    return prompt_evaluation.evaluate(prompt, blueprint, source, javascript=javascript, judges=judges)


def aggregate(assessments: Iterable[Assessment | PointExtent]) -> float:
    """The score that Weval would compute from `assessments`, 0–1 and unrounded (002, "The Algorithm").

    Points without an extent are left out; a group in which all are left out counts 0; no points at all give 0.
    """
    from engine.scoring import sums

    return sums.aggregate(assessments)
