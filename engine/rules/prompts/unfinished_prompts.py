"""# no-rubric: Prompt without criteria

A prompt with neither points nor an ideal.

It is run and its answers are stored, but nothing is scored. Reported once per file, with the number of prompts. Where
no prompt of a file with three prompts or more is scored, that may be intended: a hint. Where all answers are to be
looked at (`render_as: html`), the hint is reported only if this rule is selected by name.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none. Add `should:`, or suppress the problem where you want the answers only.

Documents: Blueprint format, Prompt Fields, `should`.

# extracted-rubric: Criteria left for a model to write

A prompt with an ideal and no points: a model writes the rubric.

Before anything is scored, a model extracts points from the ideal. Nobody has read them, all weigh the same, and they
may differ in the next run, so the score changes although neither the answer nor the blueprint does. Reported once per
file, with the number of prompts.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      ideal: The capital of Kenya is Nairobi.
      should:
        - Names Nairobi

Fix: none. Write the important points of the ideal under `should:`.

Documents: Blueprint format, Prompt Fields, `ideal`, `should`.

# no-question: Prompt without a question

A prompt without a question: no `prompt` and no `messages`, or nothing written in them.

No model can be asked. Weval refuses to run the blueprint, so nothing in it is scored.

Bad:

    - id: capital
      prompt: ""
      should:
        - Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none.

Documents: Blueprint format, Prompt Fields, `prompt`.

# not-written-yet

An ideal or a point that is still empty.

A draft is fine, but Weval refuses a file with an empty point, and then nothing is scored.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - ""

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none.

Documents: Blueprint format, Point Definition Formats 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.blueprint import Block, Prompt, RenderAs
from engine.parsing.fields import is_blank, is_null, string
from engine.parsing.findings import Finding, Kind
from engine.rules.rule import REFUSED, Report, file_rule, finding_rule, prompt_rule
from engine.rules.source.prompt_texts import misspells, misspells_question
from engine.rules.views import FileView, PromptView
from engine.text.diagnostics import Severity
from engine.text.spans import Span
from engine.yaml.layout import first_line, line_end
from engine.yaml.nodes import Node, resolved

_COLLECTED = 3
"""The least number of prompts, none of them scored, of a file whose author may want the answers only."""
_BLOCKS = frozenset(block.value for block in Block)
_UNREAD = (Kind.RUBRIC_NOT_A_LIST, Kind.STRAY_ITEM, Kind.BAD_POINT, Kind.NON_STRING_SCALAR)
_REPORTED = (*_UNREAD, Kind.NOT_WRITTEN, Kind.NO_QUESTION, Kind.KEY_IN_MESSAGE)


@file_rule("S011", Severity.WARNING, why="The prompt is run and its answers are stored, but it counts in no score.")
def no_rubric(view: FileView) -> Iterator[Report]:
    without = [prompt for prompt in _without_points(view) if not prompt.ideal]
    if not without:
        return
    count, total = len(without), len(view.blueprint.prompts)
    if count == 1:
        message = "nothing is scored in this prompt: it has neither points nor an ideal"
    else:
        message = (
            f"nothing is scored in {count} of {total} prompts, from this one on: they have neither points nor an ideal"
        )
    are_shown = count == total and all(prompt.render_as is RenderAs.HTML for prompt in without)
    are_collected = count == total >= _COLLECTED
    severity = Severity.HINT if are_shown or are_collected else None
    yield Report(_place(view, without[0]), message, severity=severity, off=are_shown)


@file_rule(
    "S028", Severity.HINT, why="A model writes the points: nobody has read them, and they may differ in the next run."
)
def extracted_rubric(view: FileView) -> Iterator[Report]:
    extracted = [prompt for prompt in _without_points(view) if prompt.ideal]
    if not extracted:
        return
    count, total = len(extracted), len(view.blueprint.prompts)
    which = "this prompt" if count == 1 else f"{count} of {total} prompts, from this one on,"
    has = "has" if count == 1 else "have"
    yield Report(
        _place(view, extracted[0]), f"{which} {has} an ideal and no points: a model will extract points from the ideal"
    )


def _without_points(view: FileView) -> Iterator[Prompt]:
    """The prompts without any point, unless another rule reports the reason."""
    without = [prompt for prompt in view.blueprint.prompts if not any(rubric.entries for rubric in prompt.rubrics)]
    reported = (
        {finding.prompt for finding in view.findings_of(*_REPORTED)} | view.parsed.broken.prompts if without else ()
    )
    for prompt in without:
        if prompt.index not in reported and not misspells(view, prompt.index, _BLOCKS):
            yield prompt


def _place(view: FileView, prompt: Prompt) -> Span:
    start = prompt.id_span.start
    return prompt.id_span if prompt.id_written else Span(start, min(prompt.span.end, line_end(view.text, start)))


@finding_rule("S040", Severity.WARNING, Kind.NO_QUESTION, why=REFUSED)
def no_question(finding: Finding, view: FileView) -> Report | None:
    """A warning on a prompt that asks nothing, flagged because Weval refuses the file for it."""
    if finding.prompt == 0 and any(view.findings_of(Kind.HEADER_LOST)):
        return None  # this was meant as the header, and `header-lost` reports it
    if misspells_question(view, finding.prompt):
        return None  # `unknown-key` reports it
    return Report(_empty_place(finding, view), "this prompt asks nothing: write its question", flagged=finding.refused)


def _unwritten(finding: Finding, view: FileView) -> Report:
    """A hint on an empty point, flagged where Weval refuses the file because of it."""
    message = "this point is not written yet"
    return Report(_empty_place(finding, view), message, severity=Severity.HINT, flagged=finding.refused)


def _empty_place(finding: Finding, view: FileView) -> Span:
    """The first line of what is empty; its dash where nothing is written behind that."""
    start, end = finding.span.start, finding.span.end
    is_dash = start == end and view.text[start - 1 : start] == "-"
    return Span(start - 1, start) if is_dash else first_line(view.text, finding.span)


@prompt_rule(
    "S024",
    Severity.HINT,
    why=REFUSED,
    off=True,
    why_accepted="It asks for nothing, so it cannot be scored.",
    kinds=(Kind.NOT_WRITTEN,),
    on_finding=_unwritten,
)
def not_written_yet(view: PromptView) -> Iterator[Report]:
    """A hint on an `ideal` without text, which Weval ignores."""
    prompt = view.prompt
    if prompt.ideal and not is_blank(prompt.ideal):
        return
    if view.text.find("ideal", prompt.span.start, prompt.span.end) < 0 or view.is_cut_off:
        return
    for name in ("ideal", "idealResponse"):
        pair = prompt.node.pair(name)
        if pair is not None and _is_empty(pair.value):
            why = "Without an ideal there is no answer to test the rubric with."
            yield Report(pair.key.span, "the ideal is not written yet", why)


def _is_empty(node: Node) -> bool:
    written = string(resolved(node))
    return is_null(node) or (written is not None and is_blank(written))
