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

# unstable-prompt-id: Prompt id that changes with every edit

A prompt without an `id`.

Weval makes one from everything in the prompt, including its rubric and its weight. After every edit it is another
prompt: its score cannot be compared with that of the last run, and saved answers no longer match it. Reported once per
file, with the number of prompts.

Bad:

    - prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    - id: capital-of-kenya
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (unsafe): an id from the first words of the prompt. Results of earlier runs stay under the old one.

Documents: Blueprint format, Prompt Fields, `id`, "Useful for tracking a specific prompt's performance over time".

# reserved-id: File name that Weval reserves

A file name that gives the blueprint an id with `_pr_`, `_staging_` or `_test_` in it.

The id comes from the path below `blueprints/`, folders joined by `__`. Weval reserves these words for its own runs of
pull requests, staging and tests. It rejects a blueprint with such an id, so nothing in it is scored.

Bad:

    # blueprints/capitals_test_2.yml
    - id: capital
      prompt: What is the capital of Kenya?

Good:

    # blueprints/capitals-test-2.yml
    - id: capital
      prompt: What is the capital of Kenya?

Fix: none. Rename the file, for example with hyphens.

Documents: Blueprint format, Configuration Header Fields, `id`, "derived from its file path".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache

from engine.blueprint import Prompt, Role
from engine.parsing.findings import Kind
from engine.parsing.identity import blueprint_id
from engine.rules.rule import Report, file_rule
from engine.rules.views import FileView
from engine.text.diagnostics import Fix, Related, Severity
from engine.text.patterns import lazy
from engine.text.spans import Span, TextEdit
from engine.yaml.edit import Edits, set_key
from engine.yaml.layout import first_content_line, first_line

_NOT_PLAIN = "[{*&!|>"
"""How a list, a mapping, an alias, an anchor, a tag and a block of text start: no fix writes into these."""


@file_rule(
    "S010", Severity.ERROR, why="One prompt's answers are judged by the other's rubric, so both scores are meaningless."
)
def duplicate_prompt_id(view: FileView) -> Iterator[Report]:
    first: dict[str, Prompt] = {}
    names = _FreeNames(prompt.id for prompt in view.blueprint.prompts)
    for prompt in view.blueprint.prompts:
        earlier = first.setdefault(prompt.id, prompt)
        if earlier is not prompt and prompt.id_written:
            yield _report(view, prompt, earlier, names.take(prompt.id))


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


_WORD_LIMIT = 6
_LENGTH_LIMIT = 48
_SEARCHED = 400
"""How many characters of a prompt are searched for its first words."""
_OTHER_SCALAR = lazy(r"null|true|false|0[box]\w*|\d+e-?\d+")
_WORD = lazy(r"[^\W_]+")


@file_rule(
    "S027", Severity.HINT, why="Its score cannot be compared from run to run, and saved answers no longer match it."
)
def unstable_prompt_id(view: FileView) -> Iterator[Report]:
    nameless = [prompt for prompt in view.blueprint.prompts if not prompt.id_written and _is_written(prompt)]
    if not nameless:
        return
    reported = {finding.prompt for finding in view.findings_of(Kind.STRAY_ITEM)} | view.parsed.broken.prompts
    nameless = [prompt for prompt in nameless if prompt.index not in reported]
    if not nameless or any(view.findings_of(Kind.HEADER_LOST)):
        return
    first, count = nameless[0], len(nameless)
    span = first_line(view.text, first.span)
    if count == 1:
        message = "this prompt has no id, so every edit of it or its rubric turns it into another prompt"
    else:
        message = (
            f"{count} of {len(view.blueprint.prompts)} prompts have no id, from this one on: "
            "every edit of one or its rubric turns it into another prompt"
        )
    yield Report(span, message, fixes=tuple(_naming_fixes(view, nameless)))


def _is_written(prompt: Prompt) -> bool:
    return any(message.content and message.content.strip() for message in prompt.messages)


def _naming_fixes(view: FileView, nameless: list[Prompt]) -> Iterator[Fix]:
    """One fix that gives each prompt an id; none where one prompt leaves no room for it."""
    names = _FreeNames(prompt.id for prompt in view.blueprint.prompts)
    edits: list[TextEdit] = []
    name = ""
    for prompt in nameless:
        name = names.take(_name_of(prompt))
        written = _edits(view, prompt, name)
        if not written:
            return
        edits += written
    title = f"call it {name}" if len(nameless) == 1 else "give each an id from its first words"
    yield Fix(title, False, tuple(edits))


def _name_of(prompt: Prompt) -> str:
    """An id from the first words of the user."""
    messages = [message for message in prompt.messages if message.content]
    first = next((message for message in messages if message.role is Role.USER), messages[0])
    name = _first_words(first.content or "")
    return name if _reads_as_string(name) else f"prompt-{name or prompt.index + 1}"


@lru_cache(maxsize=4096)
def _first_words(text: str) -> str:
    """The first words of `text` in lower-case ASCII, joined by hyphens; empty where it has no such words."""
    apart = unicodedata.normalize("NFKD", text[:_SEARCHED].lower())
    plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    words = [word for word in _WORD.findall(re.sub(r"['’]", "", plain)) if word.isascii()][:_WORD_LIMIT]
    while len(words) > 1 and len("-".join(words)) > _LENGTH_LIMIT:
        words.pop()
    return "-".join(words)[:_LENGTH_LIMIT]


def _reads_as_string(name: str) -> bool:
    """Whether YAML reads `name`, which has lower-case letters, digits and hyphens, as a string."""
    return re.search(r"[a-z]", name) is not None and _OTHER_SCALAR.fullmatch(name) is None


class _FreeNames:
    """The names that are not `taken`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}
        """The last number that was given to each name."""

    def take(self, name: str) -> str:
        """`name`, or with the least number from 2 on with which it is free; it is taken from now on."""
        free, number = name, self._numbers.get(name, 1)
        while free in self._taken:
            number += 1
            free = f"{name}-{number}"
        self._numbers[name] = number
        self._taken.add(free)
        return free


def _edits(view: FileView, prompt: Prompt, name: str) -> Edits:
    if prompt.node.span != prompt.span or not prompt.node.pairs:
        return ()
    return set_key(view.text, prompt.node, "id", f'"{name}"' if view.is_json else name, order=("id",))


_RESERVED = ("_pr_", "_staging_", "_test_")


@file_rule(
    "S026",
    Severity.ERROR,
    why="Weval reserves such ids for its own runs and rejects the blueprint: nothing in it is scored.",
)
def reserved_id(view: FileView) -> Iterator[Report]:
    if view.path is None:
        return
    name = blueprint_id(view.path)
    word = next((word for word in _RESERVED if word in name), None)
    if word is not None:
        yield Report(
            first_content_line(view.text),
            f"the file name gives this blueprint the id `{name}`, and `{word}` is reserved in an id",
        )
