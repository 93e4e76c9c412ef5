"""# secret-in-file: Key in the file

A text with the form of a key of a known provider, such as OpenAI, Anthropic, Google or AWS, anywhere in the file, in a
comment too.

A blueprint is published, with all earlier versions of it. Whoever reads it can use the key. No output repeats it, and
no fix that would write it is offered.

Bad:

    # key: sk-proj-0123456789abcdefghij
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    # The key is in OPENAI_API_KEY.
    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none. Remove the key, revoke it, and set its variable in the environment.

Documents: Blueprint format, Custom Model Definitions.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.models.secret import keys_in
from engine.rules.checks import hooks_of_parts
from engine.rules.rule import Report, Rule
from engine.rules.views import FileView
from engine.rules.words import SECRET_IN_FILE
from engine.text.diagnostics import Severity
from engine.text.spans import Span


def _check(view: FileView, part: Span) -> Iterator[Report]:
    for match in keys_in(view.text, part.start, part.end):
        provider = (match.lastgroup or "").replace("_", " ")
        yield Report(Span(*match.span()), f"this has the form of a key of {provider}: remove it from the file")


_ON_PROMPT, _ON_FILE = hooks_of_parts(_check)


secret_in_file = Rule(
    code="S042",
    slug=SECRET_IN_FILE,
    severity=Severity.ERROR,
    why="Whoever reads the file can use the key: revoke it, and set its variable in the environment.",
    on_prompt=_ON_PROMPT,
    on_file=_ON_FILE,
    on_collection=_ON_FILE,
)
