r"""# argument-slip: Slip in the argument of a check

An argument that a check cannot mean as it is written.

- A blank or a line break at either end that no answer has at that place: before the text of `$starts_with`, behind that
  of `$ends_with`, around a whole word, or behind a block text (`|`), which ends in a line break. Anywhere else, a blank
  may be meant as the edge of a word (`" no "`), so it is reported only if the prompt's own ideal has the text without
  it, and fails.
- An item twice in a list, also in another case if the check ignores case.
- An item of `_all_of` or `_at_least_n_of` that is found wherever another one is: the text is counted twice.
- A sign of another dialect of patterns. JavaScript takes `\A`, `\Z`, `\h`, `\R`, `\Q` and `\p{L}` for letters, and
  `[:digit:]` for these six signs; `\<` and `\>` for `<` and `>`.
- An HTML entity in what an answer should have, such as `R&amp;D`, if neither the prompt nor the ideal speaks of markup.
- A name in braces in a `$call` that nothing fills in: `{respnse}`, `{{response}}`, `${response}`. The names are
  `{response}`, `{modelId}`, `{promptId}`, `{messages}` and `{promptText}`. In a literal of another check,
  `${response}` is looked for as it stands.

Right answers lose the point, or an item of the list counts for nothing.

Bad:

    - id: founder
      prompt: Who is the boss of the research department?
      should:
        - Names her
        - $icontains: head of R&amp;D
        - $matches: '\AThe'
        - $icontains_any_of: [INR, inr]

Good:

    - id: founder
      prompt: Who is the boss of the research department?
      should:
        - Names her
        - $icontains: head of R&D
        - $matches: '^The'
        - $icontains_any_of: [INR, rupee]

Fix (unsafe): the argument without the slip, or the list without the item.

Documents: Blueprint format, Point Definition Formats 3; Blueprint format, Troubleshooting 5.

# pattern-in-literal: Pattern in a check for plain text

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
from engine.rules.checks import forbidden_places, hooked_rule, is_negated, prompt_check_hooks, text_place
from engine.rules.functions.argument_slips import item_slips, text_slips
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
    "F090",
    Severity.WARNING,
    why="The check does not look for what its argument says, or counts one text twice.",
)
def argument_slip(view: FileView, points: Sequence[Point], prompt: Prompt | None) -> Iterator[Report]:
    forbidden = () if prompt is None else forbidden_places(prompt)
    for point in points:
        yield from text_slips(view, point, prompt if is_negated(point) is (point.span in forbidden) else None)
        yield from item_slips(view, point)


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
