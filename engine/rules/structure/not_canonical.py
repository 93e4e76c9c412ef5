"""# not-canonical: Not in Weval's canonical form

A part of the normalised blueprint that does not meet Weval's canonical form.

Weval checks the form of a proposal before it evaluates it, and of a merged file. `studio review` and
`studio check --for weval` warn of it; otherwise the rule is off. The check is Weval's; its form was seen as of 1 July
2026 and may have changed since.

Bad:

    point_defs:
      is_short: {$js: r.length < 400}
    ---
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $ref: is_short

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - $js: r.length < 400

Fix: none. A `$ref` to a definition that is a mapping is copied as it stands, and is then no point of the form: write
the check where it is used.

Documents: Blueprint format, Prompt Fields.

# refused-by-weval

A refusal of Weval, in Weval's own words. Reported by `studio check --for weval` where no other rule reports an error,
and when the rule is selected by name.

Most of what Weval refuses has a rule of its own, with a message for authors; this one covers the rest. Nothing in a
refused file is scored.

Bad:

    title: 2024
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    title: "2024"
    ---
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none.

Documents: Blueprint format, Blueprint Structures. This is how Weval reads them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from engine.parsing import weval_config
from engine.rules.rule import REFUSED, RUN_REFUSED, Report, file_rule
from engine.rules.views import FileView
from engine.text.diagnostics import Related, Severity
from engine.text.spans import Span
from engine.yaml.layout import first_content_line, line_end

if TYPE_CHECKING:
    from engine.parsing.canonical_form import Place

_MOST_RELATED = 9
_BLOCKS = {"points": "should", "should_not": "should_not"}


@file_rule(
    "S044",
    Severity.WARNING,
    why="Weval refuses to evaluate a proposal, or a merged file, that does not have this form.",
    off=True,
)
def not_canonical(view: FileView) -> Iterator[Report]:
    from engine.parsing.canonical_form import ASKED, SEEN, misses  # here, as it brings pydantic

    config = weval_config(view.parsed) if view.parsed.weval.refusal is None else None
    found: dict[str, list[Span]] = {}
    for place in () if config is None else misses(config):
        key = next((each for each in place if isinstance(each, str) and each != "prompts"), "prompts")
        found.setdefault(ASKED.get(key, f"`{key}` as a text"), []).append(_span(view, place))
    for asked, (first, *others) in found.items():
        times = f", not met {len(others) + 1} times in this file" if others else ""
        related = tuple(Related(span, "not met here either") for span in others[:_MOST_RELATED])
        yield Report(first, f"Weval's canonical form (as of {SEEN}) asks for {asked}{times}", related=related)


def _span(view: FileView, place: Place) -> Span:
    """Where the author wrote what is at `place` of the normalised form."""
    match place:
        case ("prompts", int(at), "points" | "should_not" as key, int(entry)) if at < len(view.blueprint.prompts):
            rubrics = view.blueprint.prompts[at].rubrics
            entries = [each for rubric in rubrics if rubric.block == _BLOCKS[key] for each in rubric.entries]
            return entries[entry].span if entry < len(entries) else view.blueprint.prompts[at].span
        case ("prompts", int(at), *_) if at < len(view.blueprint.prompts):
            return view.blueprint.prompts[at].span
        case (str(key), *_):
            pair = view.header.pair(key)
            return first_content_line(view.text) if pair is None else pair.key.span
        case _:
            return first_content_line(view.text)


@file_rule("S062", Severity.ERROR, why=REFUSED, off=True)
def refused_by_weval(view: FileView) -> Iterator[Report]:
    weval = view.parsed.weval
    if weval.refusal is not None:
        at = min(weval.refusal.offset, len(view.text))
        span = Span(at, line_end(view.text, at))
        why = REFUSED if weval.error is not None else RUN_REFUSED
        yield Report(span, f"Weval refuses this: {weval.refusal.message}", why)
