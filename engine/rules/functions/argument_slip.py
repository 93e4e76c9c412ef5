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
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.blueprint import Point, Prompt
from engine.rules.checks import forbidden_places, hooked_rule, is_negated, prompt_check_hooks
from engine.rules.functions.argument_slips import item_slips, text_slips
from engine.rules.rule import Report
from engine.rules.views import FileView
from engine.text.diagnostics import Severity


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
