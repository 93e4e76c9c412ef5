"""# duplicate-prompt-id

Two prompts with the same id.

Weval stores answers by prompt id: the later prompt's answers replace those of the earlier one, and are then judged by
the earlier one's rubric. Both scores are meaningless.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
    - id: capital
      prompt: What is the capital of Ghana?
      should:
        - Names Accra

Good:

    - id: capital-of-kenya
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
    - id: capital-of-ghana
      prompt: What is the capital of Ghana?
      should:
        - Names Accra

Fix (unsafe): add a number to the later id. Results of earlier runs stay under the old one.

Documents: Blueprint format, Prompt Fields, `id`, "A unique identifier for the prompt within the blueprint".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from itertools import count

from engine.blueprint import Prompt
from engine.diagnostics import Fix, Related, Severity
from engine.rules.rule import Report, Rule
from engine.rules.views import FileView
from engine.text import Span, TextEdit

_NOT_PLAIN = "[{*&!|>"
"""How a list, a mapping, an alias, an anchor, a tag and a block of text start: no fix writes into these."""


def _check(view: FileView) -> Iterator[Report]:
    first: dict[str, Prompt] = {}
    taken = {prompt.id for prompt in view.blueprint.prompts}
    numbers: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(2))
    for prompt in view.blueprint.prompts:
        earlier = first.setdefault(prompt.id, prompt)
        if earlier is not prompt and prompt.id_written:
            free = next(name for number in numbers[prompt.id] if (name := f"{prompt.id}-{number}") not in taken)
            yield _report(view, prompt, earlier, free)


def _report(view: FileView, prompt: Prompt, earlier: Prompt, free: str) -> Report:
    number = earlier.index + 1
    return Report(
        prompt.id_span,
        f"the id `{prompt.id}` is taken: this prompt's answers would be judged by the rubric of prompt {number}",
        related=(Related(earlier.id_span, f"prompt {number} has it first"),),
        fixes=_fixes(view, prompt, free),
    )


def _fixes(view: FileView, prompt: Prompt, free: str) -> tuple[Fix, ...]:
    written = prompt.id_span.of(view.text)
    if not written or "\n" in written or written[0] in _NOT_PLAIN:
        return ()
    quote = written[-1] if written[0] in "'\"" and written[-1] == written[0] else ""
    end = prompt.id_span.end - len(quote)
    return (Fix(f"call it {free}", False, (TextEdit(Span(end, end), free.removeprefix(prompt.id)),)),)


RULES = (
    Rule(
        code="S010",
        slug="duplicate-prompt-id",
        severity=Severity.ERROR,
        why="One prompt's answers are judged by the other's rubric, so both scores are meaningless.",
        on_file=_check,
    ),
)
