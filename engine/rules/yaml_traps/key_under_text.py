"""# key-under-text: Key below a point without `text:`

A key of a point, such as `weight:` or `citation:`, below a point that is plain text.

A plain text cannot have keys. Weval refuses the whole file, so nothing in it is scored. A point with a weight or a
citation is written with `text:`.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
          weight: 2
        - Says that it is in East Africa

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - text: Names Nairobi
          weight: 2
        - Says that it is in East Africa

Fix (unsafe where YAML reads the key as words of the point): write `text:` before the point, and line the keys up with
it.

Documents: Blueprint format, Point Definition Formats 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.rules.rule import Report, prompt_rule
from engine.rules.source.spoilt_blocks import spoilt_point_keys
from engine.rules.views import PromptView
from engine.text.diagnostics import Fix, Severity

# `engine.yaml.diagnosis` finds keys that make the file unreadable; this module finds those that YAML reads as
# words of the point, because they have a wide colon or no space after it.

_NOT_PLAIN = frozenset("\"'|>[{&*!")


@prompt_rule("Y013", Severity.ERROR, why="Weval refuses the whole file: none of its prompts is run or scored.")
def key_under_text(view: PromptView) -> Iterator[Report]:
    for point in view.prompt.points():
        text = point.text
        if text is None or not (":" in text or "：" in text) or view.file.is_json:
            continue
        span = point.subject_span
        keys = spoilt_point_keys(view.text, span) if view.text[span.start] not in _NOT_PLAIN else None
        if keys is not None:
            first = keys.slips[0]
            message = f"{first.message}; as it stands, this is a part of the criterion"
            is_one_line = "\n" not in span.of(view.text)
            title = first.title if is_one_line else f"{first.title}: the key is no text"
            yield Report(first.span, message, fixes=(Fix(title, is_one_line, keys.edits),), why=_READ)


_READ = "The judge is sent the key as words of the criterion, and neither a weight nor a citation counts."
