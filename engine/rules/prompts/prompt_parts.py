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

# prompt-and-messages

A prompt with both `prompt` and `messages`.

Only the conversation under `messages` is run and scored. The text of `prompt` is never sent.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      messages:
        - user: What is the capital of Ghana?

Good:

    - id: capital
      messages:
        - user: What is the capital of Ghana?

Fix: none. Remove one of them.

Documents: Blueprint format, Prompt Fields, `messages`, "Cannot be used with `prompt`".

# bad-message

A message with an unknown role, without text, or with two roles at once.

Weval refuses the file, or refuses to run it, so nothing is scored.

Bad:

    - id: capital
      messages:
        - usr: What is the capital of Kenya?

Good:

    - id: capital
      messages:
        - user: What is the capital of Kenya?

Fix (unsafe): for a mapping where the list of messages is due, a list. Otherwise none.

Documents: Blueprint format, Message Formats.

# key-in-message

A key of the prompt (`should`, `ideal`, `weight` …) inside a message, at the level of `role` and `content`.

Nobody reads it there: the points count in no score.

Bad:

    - id: capital
      messages:
        - role: user
          content: What is the capital of Kenya?
          should:
            - Names Nairobi

Good:

    - id: capital
      messages:
        - role: user
          content: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (unsafe): move it to the prompt, where that has no such key yet.

Documents: Blueprint format, Message Formats.

# message-order

A conversation that begins or ends with the assistant, or gives one side two turns in a row.

It works here as the documents describe it. Weval refuses to run the blueprint, so nothing is scored there.

Bad:

    - id: capital
      messages:
        - user: What is the capital of Kenya?
        - user: And of Ghana?

Good:

    - id: capital
      messages:
        - user: What is the capital of Kenya?
        - assistant: null
        - user: And of Ghana?

Fix: none.

Documents: Blueprint format, Message Formats; Blueprint format, Sequential multi-turn.

# fixed-answer: Answer that is already written

A conversation whose last message is an assistant turn with text.

The rubric judges that text. No model is asked for an answer, so every model scores the same.

Bad:

    - id: capital
      messages:
        - user: What is the capital of Kenya?
        - assistant: Nairobi.
      should:
        - Names Nairobi

Good:

    - id: capital
      messages:
        - user: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix: none.

Documents: Blueprint format, Notes and guarantees, "that message may be used as the final output".

# no-rubric: Prompt without criteria

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

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain

from engine.blueprint import Block, Prompt, RenderAs, Role
from engine.parsing.demands import Finding, Kind
from engine.parsing.fields import is_blank, is_null, string
from engine.parsing.normalised_form import blueprint_id
from engine.rules.refusals import ROLES, empty_place, excerpt, field_rule
from engine.rules.rule import (
    FileView,
    PromptView,
    Report,
    file_rule,
    finding_rule,
    fix_at,
    nearest_names,
    prompt_rule,
)
from engine.rules.source.prompt_texts import ASKING, misspells
from engine.text import Fix, Related, Severity, Span, TextEdit, lazy
from engine.yaml.edit import Edits, set_key
from engine.yaml.layout import column, first_content_line, first_line, line_end, moved_below, reindented
from engine.yaml.nodes import NO_MAPPING, MappingNode, Node, resolved
from engine.yaml.tree_loader import enclosing_mapping

_NOT_PLAIN = "[{*&!|>"
"""How a list, a mapping, an alias, an anchor, a tag and a block of text start: no fix writes into these."""


@file_rule()
def duplicate_prompt_id(view: FileView) -> Iterator[Report]:
    first: dict[str, Prompt] = {}
    taken = {prompt.id: 1 for prompt in view.blueprint.prompts}
    for prompt in view.blueprint.prompts:
        earlier = first.setdefault(prompt.id, prompt)
        if earlier is not prompt and prompt.id_written:
            number, fixes = earlier.index + 1, _fixes(view, prompt, _free_name(prompt.id, taken))
            effect = f"this prompt's answers would be judged by the rubric of prompt {number}"
            first_one = Related(earlier.id_span, f"prompt {number} has it first")
            message = f"the id `{prompt.id}` is taken: {effect}"
            yield Report(prompt.id_span, message, fixes=fixes, related=(first_one,))


def _fixes(view: FileView, prompt: Prompt, free: str) -> tuple[Fix, ...]:
    written = prompt.id_span.of(view.text)
    if not written or "\n" in written or written[0] in _NOT_PLAIN:
        return ()
    quote = written[-1] if written[0] in "'\"" and written[-1] == written[0] else ""
    end = prompt.id_span.end - len(quote)
    return fix_at(f"call it {free}", Span(end, end), free.removeprefix(prompt.id))


_WORD_LIMIT = 6
_LENGTH_LIMIT = 48
_SEARCHED = 400
"""How many characters of a prompt are searched for its first words."""
_OTHER_SCALAR = lazy(r"null|true|false|0[box]\w*|\d+e-?\d+")
_WORD = lazy(r"[^\W_]+")


@file_rule()
def unstable_prompt_id(view: FileView) -> Iterator[Report]:
    reported = {finding.prompt for finding in view.findings_of(Kind.STRAY_ITEM)} | view.parsed.broken.prompts
    prompts = [prompt for prompt in view.blueprint.prompts if prompt.index not in reported]
    nameless = [prompt for prompt in prompts if not prompt.id_written and _is_written(prompt)]
    if not nameless or any(view.findings_of(Kind.HEADER_LOST)):
        return
    message = "this prompt has no id, so every edit of it or its rubric turns it into another prompt"
    if len(nameless) > 1:
        which = f"{len(nameless)} of {len(view.blueprint.prompts)} prompts have no id, from this one on"
        message = f"{which}: every edit of one or its rubric turns it into another prompt"
    yield Report(first_line(view.text, nameless[0].span), message, fixes=_naming_fixes(view, nameless))


def _is_written(prompt: Prompt) -> bool:
    return any(message.content and message.content.strip() for message in prompt.messages)


def _naming_fixes(view: FileView, nameless: list[Prompt]) -> tuple[Fix, ...]:
    """One fix that gives each prompt an id; none where one prompt leaves no room for it."""
    taken = {prompt.id: 1 for prompt in view.blueprint.prompts}
    names = [(prompt, _free_name(_name_of(prompt), taken)) for prompt in nameless]
    edits = [_naming(view, prompt, name) for prompt, name in names]
    title = f"call it {names[0][1]}" if len(names) == 1 else "give each an id from its first words"
    return (Fix(title, False, tuple(chain.from_iterable(edits))),) if all(edits) else ()


def _naming(view: FileView, prompt: Prompt, name: str) -> Edits:
    has_room = prompt.node.span == prompt.span and prompt.node.pairs
    source = f'"{name}"' if view.is_json else name
    return set_key(view.text, prompt.node, "id", source, order=("id",)) if has_room else ()


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


def _free_name(name: str, taken: dict[str, int]) -> str:
    """`name`, or with the least number from 2 on with which it is free; it is taken from now on.

    `taken` has the last number that was given to each name.
    """
    free, number = name, taken.get(name, 1)
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken[name], taken[free] = number, taken.get(free, 1)
    return free


_RESERVED = ("_pr_", "_staging_", "_test_")


@file_rule()
def reserved_id(view: FileView) -> Iterator[Report]:
    name = "" if view.path is None else blueprint_id(view.path)
    word = next((word for word in _RESERVED if word in name), None)
    if word is not None:
        message = f"the file name gives this blueprint the id `{name}`, and `{word}` is reserved in an id"
        yield Report(first_content_line(view.text), message)


prompt_and_messages = field_rule(Kind.PROMPT_AND_MESSAGES)


@finding_rule(Kind.BAD_MESSAGE)
def bad_message(finding: Finding, view: FileView) -> Report:
    fixes: tuple[Fix, ...] = ()
    match finding.detail:
        case "messages":
            node = None if finding.node is None else resolved(finding.node)
            keys = node.keys() if isinstance(node, MappingNode) else ()
            role = next((name for name in keys if name in ROLES), "user")
            here = excerpt(node, view.text)
            message = f"`messages` must be a list, not {here}: write each turn as an item, `- {role}: …`"
            fixes = _as_turns(node, view.text) if isinstance(node, MappingNode) else ()
        case "message":
            message = "this message is empty"
        case "":
            message = _not_a_message(finding, view.text)
        case role:
            near = next(iter(nearest_names(role, ROLES)), None)
            hint = f"did you mean `{near}`?" if near else "use `system`, `user` or `assistant`"
            message = f"unknown role “{role}”: {hint}"
    return Report(first_line(view.text, finding.span), message, fixes=fixes)


def _as_turns(node: MappingNode, text: str) -> tuple[Fix, ...]:
    """The fix that makes items of the turns in a mapping, or the only item of a message."""
    turns = [pair.span for pair in node.pairs] if node.pair("content") is None else [node.span]
    if node.flow:
        edits = [TextEdit(node.span, f"[{node.span.of(text)}]")] if len(turns) == 1 else []
    else:
        dashes = (TextEdit(Span(turn.start, turn.start), "- ") for turn in turns)
        edits = [*dashes, *(edit for turn in turns for edit in reindented(text, turn, 2))]
    return (Fix("make it a list", False, tuple(edits)),)


def _not_a_message(finding: Finding, text: str) -> str:
    node = None if finding.node is None else resolved(finding.node)
    names = [*node.keys()] if isinstance(node, MappingNode) else []
    written = " and ".join(f"`{name}`" for name in names[:2])
    if len(names) > 1 and not set(ROLES).isdisjoint(names):
        return f"one message has both {written}: write each turn as an item of its own, with a `-` before it"
    here = f"a mapping with {written}" if names else excerpt(finding.node, text)
    return f"{here} is not a message: write `user: …`, `assistant: …` or `system: …`"


@finding_rule(Kind.KEY_IN_MESSAGE)
def key_in_message(finding: Finding, view: FileView) -> Report:
    text, key = view.text, finding.detail
    prompt = view.prompt(finding.prompt)
    mapping = NO_MAPPING if prompt is None else prompt.node
    messages, pair = mapping.pair("messages"), enclosing_mapping(view.tree, finding.span).pair(key)
    edits: tuple[TextEdit, ...] = ()
    if messages and pair and mapping.pair(key) is None and not view.is_json:
        edits = moved_below(text, pair.span, messages.span, column(text, messages.key.span.start))
    told = f"`{key}` is a key of the prompt, and nobody reads it in a message: move it to the prompt"
    return Report(finding.span, told, fixes=(Fix("move it to the prompt", False, edits),))


def _twice(finding: Finding, view: FileView) -> Report | None:
    """The report on all turns of a prompt that follow one of the same side, at the first of them."""
    beside = view.findings.get(finding.prompt, ())
    same = [each for each in beside if (each.kind, each.detail) == (finding.kind, finding.detail)]
    where = f" in {len(same)} places" if len(same) > 1 else ""
    message = f"the same side speaks twice in a row{where}: on Weval turns must alternate"
    return Report(first_line(view.text, finding.span), message) if same[0] is finding else None


message_order = field_rule(Kind.MESSAGE_ORDER, {"twice": _twice})


fixed_answer = field_rule(Kind.FIXED_ANSWER)


_COLLECTED = 3
"""The least number of prompts, none of them scored, of a file whose author may want the answers only."""
_BLOCKS = frozenset(block.value for block in Block)
_UNREAD = (Kind.RUBRIC_NOT_A_LIST, Kind.STRAY_ITEM, Kind.BAD_POINT, Kind.NON_STRING_SCALAR)
_REPORTED = (*_UNREAD, Kind.NOT_WRITTEN, Kind.NO_QUESTION, Kind.KEY_IN_MESSAGE)


@file_rule()
def no_rubric(view: FileView) -> Iterator[Report]:
    without = [prompt for prompt in _without_points(view) if not prompt.ideal]
    if not without:
        return
    count, total = len(without), len(view.blueprint.prompts)
    which, they = ("this prompt", "it has")
    if count > 1:
        which, they = f"{count} of {total} prompts, from this one on", "they have"
    message = f"nothing is scored in {which}: {they} neither criteria nor an ideal"
    are_shown = count == total and all(prompt.render_as is RenderAs.HTML for prompt in without)
    are_collected = count == total >= _COLLECTED
    severity = Severity.HINT if are_shown or are_collected else None
    yield Report(_place(view, without[0]), message, severity=severity, off=are_shown)


@file_rule()
def extracted_rubric(view: FileView) -> Iterator[Report]:
    extracted = [prompt for prompt in _without_points(view) if prompt.ideal]
    which = "this prompt has"
    if len(extracted) > 1:
        which = f"{len(extracted)} of {len(view.blueprint.prompts)} prompts, from this one on, have"
    if extracted:
        message = f"{which} an ideal and no criteria: a model will extract criteria from the ideal"
        yield Report(_place(view, extracted[0]), message)


def _without_points(view: FileView) -> Iterator[Prompt]:
    """The prompts without any point, unless another rule reports the reason."""
    reported = {finding.prompt for finding in view.findings_of(*_REPORTED)} | view.parsed.broken.prompts
    for prompt in view.blueprint.prompts:
        is_without = prompt.index not in reported and not any(rubric.entries for rubric in prompt.rubrics)
        if is_without and not misspells(view, prompt.index, _BLOCKS):
            yield prompt


def _place(view: FileView, prompt: Prompt) -> Span:
    start = prompt.id_span.start
    return prompt.id_span if prompt.id_written else Span(start, min(prompt.span.end, line_end(view.text, start)))


@finding_rule(Kind.NO_QUESTION)
def no_question(finding: Finding, view: FileView) -> Report | None:
    """A warning on a prompt that asks nothing, flagged because Weval refuses the file for it."""
    if finding.prompt == 0 and any(view.findings_of(Kind.HEADER_LOST)):
        return None  # this was meant as the header, and `header-lost` reports it
    if misspells(view, finding.prompt, ASKING):
        return None  # `unknown-key` reports it
    place = empty_place(view.text, finding.span)
    return Report(place, "this prompt asks nothing: write its question", flagged=finding.refused)


def _unwritten(finding: Finding, view: FileView) -> Report:
    """A hint on an empty point, flagged where Weval refuses the file because of it."""
    place, message = empty_place(view.text, finding.span), "this criterion is not written yet"
    return Report(place, message, severity=Severity.HINT, flagged=finding.refused)


@prompt_rule(kinds=(Kind.NOT_WRITTEN,), on_finding=_unwritten)
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
