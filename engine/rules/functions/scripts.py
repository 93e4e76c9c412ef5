"""# js-syntax: JavaScript that does not compile

A `$js` script that JavaScript cannot read, for example because of a bracket that is never closed.

The script never runs. The point counts 0 here, and Weval leaves it out of the score, so the other points decide alone.

Bad:

    - id: brief
      prompt: Describe Nairobi in a sentence.
      should:
        - $js: "r.length < 300 &&"

Good:

    - id: brief
      prompt: Describe Nairobi in a sentence.
      should:
        - $js: "r.length < 300"

Fix: none. The message is V8's own, at its position in the script.

Documents: The `should` system, Part 1, Idiomatic Function Call, `$js`; Blueprint format, Point Definition Formats 3.

# js-returns: JavaScript that returns no score

A `$js` script that gave no score for any test answer: no number, no true or false, no `{score}`.

The result of a script is its score. A script that returns text, a list of matches or nothing, or that fails on every
answer, counts 0 here; Weval leaves an error out of the score, and counts no result as 0. The rule runs the script on an
empty answer, an ordinary one, a short one, JSON, and the prompt's ideal if it has one. In a conversation of several
turns the earlier turns that a model writes hold such an answer, too.

If the patterns and scripts of a file take more than half a second to try, those that follow are not tried, so what may
be wrong with them is not reported. Nor is a pattern tried that has over twenty parts that may be left out, or groups
within each other a hundred deep: compiling it can take seconds. One report says so, at the first prompt that it
concerns.

Bad:

    - id: numbers
      prompt: Name the year.
      should:
        - $js: "r.match(/[0-9]{4}/)"

Good:

    - id: numbers
      prompt: Name the year.
      should:
        - $js: "/[0-9]{4}/.test(r)"

Fix: none.

Documents: The `should` system, Part 1, Idiomatic Function Call, `$js`; Blueprint format, Point Definition Formats 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from engine import functions
from engine.blueprint import Point, Prompt
from engine.functions.function_text import count
from engine.functions.point_function import Checked, CheckError, NotCalled, Subject
from engine.functions.tasks import JsError, Outcome, SyntaxTask, Value
from engine.rules.checks import check_hooks, hooked_rule, prompt_check_hooks
from engine.rules.functions.trial_subjects import subjects, subjects_after_system
from engine.rules.javascript_cache import outcomes_of
from engine.rules.rule import Report
from engine.rules.views import FileView
from engine.text.diagnostics import Severity
from engine.text.spans import Span
from engine.yaml.layout import first_line, source_offset
from engine.yaml.nodes import ScalarNode, resolved


def _scripts(points: Iterable[Point]) -> list[tuple[Point, str]]:
    return [
        (point, point.function.args)
        for point in points
        if point.function is not None and point.function.name in ("js", "expr") and isinstance(point.function.args, str)
    ]


# js-syntax


@hooked_rule(
    check_hooks,
    "F018",
    Severity.ERROR,
    why="The script never runs: the point counts 0 here, and Weval leaves it out of the score.",
    needs_javascript=True,
)
def js_syntax(view: FileView, points: Sequence[Point]) -> Iterator[Report]:
    scripts = _scripts(points)
    for (point, source), error in zip(scripts, _errors(view, [source for _, source in scripts]), strict=True):
        if error is not None:
            yield Report(_place(view, point, source, error.at), f"this JavaScript cannot be read: {error.message}")


def _errors(view: FileView, sources: Sequence[str]) -> list[JsError | None]:
    """V8's syntax error for each script; None if there is none, or if the script was not compiled."""
    outcomes = outcomes_of(view.javascript, [SyntaxTask(source) for source in sources])
    return [outcome if isinstance(outcome, JsError) else None for outcome in outcomes]


def _place(view: FileView, point: Point, source: str, at: int | None) -> Span:
    """The character of the script where V8 reports the error; the first line of the script if that is unknown."""
    node = _script_node(view, point, source)
    if node is None:
        return point.subject_span
    if at is not None:
        start = source_offset(view.text, node, min(at, max(len(source.rstrip()) - 1, 0)))
        if start is not None:
            return Span(start, start + 1)
    return first_line(view.text, node.span)


def _script_node(view: FileView, point: Point, source: str) -> ScalarNode | None:
    """The scalar that contains a script: the argument of `$js`, or a definition."""
    node = resolved(point.argument or point.node)
    return node if isinstance(node, ScalarNode) and node.value == source else None


# js-returns


def _problem(view: FileView, point: Point, tried: Sequence[Subject]) -> str | None:
    """What the script does instead of giving a score; None if it gives a score for one of the answers `tried`."""
    call = point.function
    function = None if call is None else functions.find(call.name)
    if call is None or function is None:
        return None
    outcomes: list[Outcome] = []
    for subject in tried:  # one at a time: most scripts give a score for the first
        (outcome,) = outcomes_of(view.javascript, function.plan(call.args, subject))
        if outcome is None or _is_score(outcome):
            return None
        outcomes.append(outcome)
    answers = count(len(outcomes), "answer")
    result = function.conclude(call.args, tried[0], outcomes[:1])
    match result:
        case CheckError(message) | NotCalled(message):
            return f"no score for any of {answers} tried: {message[:1].lower()}{message[1:].rstrip('.')}"
        case Checked(detail=detail):
            return f"no score for any of {answers} tried: it {detail}"


def _is_score(outcome: Outcome) -> bool:
    """Whether a script gave a score, or reported an error of its own."""
    match outcome:
        case Value("boolean" | "number"):
            return True
        case Value("object", dict() as value):
            return "error" in value or isinstance(value.get("score"), int | float)
        case _:
            return False


def _untried(place: Span, _view: FileView) -> Report:
    return Report(
        place,
        "not all patterns and scripts from here on were tried: those of this file take too long",
        why="What is wrong with the others is not reported. Each of them is still run when an answer is scored.",
    )


@hooked_rule(
    prompt_check_hooks,
    "F019",
    Severity.WARNING,
    why="The point counts 0 for every answer; if the script fails, Weval leaves it out of the score.",
    on_untried=_untried,
    needs_javascript=True,
)
def js_returns(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    """Reports on the valid scripts that gave no score for any test answer to the `prompt`, if there is one."""
    scripts = _scripts(points)
    if not scripts:
        return
    refused = _errors(view, [source for _, source in scripts])
    tried = subjects(prompt)
    for (point, source), error in zip(scripts, refused, strict=True):
        problem = None if error is not None or not source.strip() else _problem(view, point, tried)
        if problem is not None and _problem(view, point, subjects_after_system(prompt)) is not None:
            yield Report(_place(view, point, source, None), problem)
