"""# turns-joined

A check of the start, the end, the length or the whole of an answer, in a conversation with several generated answers.

All answers that are generated in one conversation are joined, with a blank line between them, and checked as one text.
So `$starts_with` sees the start of the first answer, `$ends_with` the end of the last, and `$word_count_between` the
words of all of them: three answers of 50 words are 150. A pattern with `^` or `$` and `$is_json` are no better. A model
that keeps the limit in each answer loses the point.

Bad:

    - id: quiz
      messages:
        - user: Quiz me on rivers. Ask one question at a time.
        - assistant: null
        - user: The Nile.
      should:
        - Says whether the answer is right
        - $ends_with: '?'

Good:

    - id: quiz
      messages:
        - user: Quiz me on rivers. Ask one question at a time.
        - assistant: Which river flows through Cairo?
        - user: The Nile.
      should:
        - Says whether the answer is right
        - $ends_with: '?'

Fix: none. Write the earlier turns, give each question a prompt of its own, or say in words what each answer must do.

Documents: Blueprint format, Sequential multi-turn.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine import functions
from engine.blueprint import Point
from engine.diagnostics import Severity
from engine.functions.point_function import Target
from engine.rules.checks import checks_in
from engine.rules.rule import Report, Rule
from engine.rules.source.generated_turns import generated_turns
from engine.rules.source.pattern_places import patterns_of
from engine.rules.source.regex_parser import parse_regex
from engine.rules.source.regex_tree import Assertion, Concatenation
from engine.rules.views import PromptView


def _check(view: PromptView) -> Iterator[Report]:
    turns = generated_turns(view.prompt) if view.checks else 0
    for point in checks_in(view) if turns > 1 else ():
        what = _tested(point)
        if what is not None:
            yield Report(
                point.subject_span,
                f"{turns} answers are generated here and checked as one text: this tests {what}",
                flagged=True,
            )


def _tested(point: Point) -> str | None:
    """The part of the joined text that a check tests; None if it looks anywhere."""
    call = point.function
    function = None if call is None else functions.find(call.name)
    if function is None:
        return None
    match function.name:
        case "word_count_between":
            return "the words of all of them together"
        case "is_json":
            return "whether all of them together are JSON"
        case _:
            pass
    if any(_is_anchored(pattern.bare, "^", 0) for pattern in patterns_of(point)):
        return "only the start of the first"
    if any(_is_anchored(pattern.bare, "$", -1) for pattern in patterns_of(point)):
        return "only the end of the last"
    match None if function.search is None else function.search.target:
        case Target.START:
            return "only the start of the first"
        case Target.END:
            return "only the end of the last"
        case _:
            return None


def _is_anchored(pattern: str, kind: str, at: int) -> bool:
    """Whether the first (or last) part of `pattern` is the start (or end) of the text."""
    tree = parse_regex(pattern)
    part = tree.items[at] if isinstance(tree, Concatenation) and tree.items else tree
    return isinstance(part, Assertion) and part.kind == kind


RULES = (
    Rule(
        code="F085",
        slug="turns-joined",
        title="Limit that counts all turns as one answer",
        severity=Severity.WARNING,
        why="The other answers of the conversation are not tested alone, so a good model may lose the point.",
        on_prompt=_check,
    ),
)
