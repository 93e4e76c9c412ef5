r"""# pattern-in-literal: Pattern in a check for plain text

The signs of a pattern in a text that a check looks for as it stands: `refugee*`, `^Yes`, `.*persecut.*`,
`Sucre|La Paz`.

`$contains` and its kin compare characters. An answer would have to write the sign itself, `Sucre|La Paz` with the `|`,
so every right answer loses the point: with two points, half of the score. Under `should_not`, and as `$not_…`, nothing
is ever found.

Bold and italic text (`**yes**`), code and formulas are fine, and so is a text that stands in the prompt or in its
ideal, or a sign that is used there in the same way.

Bad:

    - id: capital
      prompt: What is the capital of Bolivia?
      should:
        - Says that there are two
        - $icontains: Sucre|La Paz

Good:

    - id: capital
      prompt: What is the capital of Bolivia?
      should:
        - Says that there are two
        - $imatches: Sucre|La Paz

Fix (unsafe): the check of the same kind that takes patterns; `refugee*` becomes `refugee\w*`.

Documents: Blueprint format, Point Definition Formats 3; Blueprint format, Troubleshooting 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Point, Prompt
from engine.rules.checks import hooked_rule, prompt_check_hooks, text_place
from engine.rules.functions.rewritten_checks import as_patterns, meant_as_patterns
from engine.rules.refusals import cut
from engine.rules.rule import Report
from engine.rules.source.pattern_signs import pattern_signs
from engine.rules.source.prompt_texts import known_text
from engine.rules.source.regex_parser import parse_regex
from engine.rules.views import FileView
from engine.text.diagnostics import Severity
from engine.text.spans import in_quotes


@hooked_rule(
    prompt_check_hooks,
    "F097",
    Severity.WARNING,
    why="No answer writes such a sign, so the check gives every answer the same result.",
)
def pattern_in_literal(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    known = "" if prompt is None else known_text(prompt)
    for point in points:
        if meant := meant_as_patterns(point, known):
            text, sign = next(iter(meant.items()))
            patterns = {each: _pattern(each) for each in meant}
            is_sound = None not in map(parse_regex, patterns.values())
            yield Report(
                text_place(view, point, text),
                f"{in_quotes(cut(text))} is looked for with its `{sign[-1] if sign[0].isalpha() else sign}`: "
                "only `$matches` and its kin take patterns",
                fixes=as_patterns(view, point, patterns, "as a pattern") if is_sound else (),
            )


def _pattern(text: str) -> str:
    for sign in pattern_signs(text):
        text = text.replace(sign, rf"{sign[:-1]}\w*") if sign[0].isalpha() else text
    return text
