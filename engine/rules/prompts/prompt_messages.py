"""# prompt-and-messages

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
"""

from __future__ import annotations

from engine.parsing.findings import Finding, Kind
from engine.rules.refusals import ROLES, excerpt
from engine.rules.rule import REFUSED, Report, finding_rule
from engine.rules.views import FileView
from engine.rules.words import nearest_names
from engine.text.diagnostics import Fix, Severity
from engine.text.spans import Span, TextEdit
from engine.yaml.layout import column, first_line, moved_below, reindented
from engine.yaml.node_search import enclosing_mapping
from engine.yaml.nodes import NO_MAPPING, MappingNode, property_name, resolved


@finding_rule(
    "S006",
    Severity.ERROR,
    Kind.PROMPT_AND_MESSAGES,
    why="Weval runs `messages` and ignores `prompt`, which is never sent.",
)
def prompt_and_messages(finding: Finding, view: FileView) -> Report:
    return Report(first_line(view.text, finding.span), "this prompt has both `prompt` and `messages`: keep one of them")


@finding_rule("S007", Severity.ERROR, Kind.BAD_MESSAGE, why=REFUSED)
def bad_message(finding: Finding, view: FileView) -> Report:
    fixes: tuple[Fix, ...] = ()
    match finding.detail:
        case "messages":
            node = None if finding.node is None else resolved(finding.node)
            names = [property_name(pair.key) for pair in node.pairs] if isinstance(node, MappingNode) else []
            role = next((name for name in names if name in ROLES), "user")
            here = excerpt(node, view.text)
            message = f"`messages` must be a list, not {here}: write each turn as an item, `- {role}: …`"
            fixes = () if not isinstance(node, MappingNode) else _as_turns(node, view.text)
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
    return (Fix("make it a list", False, tuple(edits)),) if edits else ()


def _not_a_message(finding: Finding, text: str) -> str:
    node = None if finding.node is None else resolved(finding.node)
    names = [property_name(pair.key) for pair in node.pairs] if isinstance(node, MappingNode) else []
    written = " and ".join(f"`{name}`" for name in names[:2])
    if len(names) > 1 and not set(ROLES).isdisjoint(names):
        return f"one message has both {written}: write each turn as an item of its own, with a `-` before it"
    here = f"a mapping with {written}" if names else excerpt(finding.node, text)
    return f"{here} is not a message: write `user: …`, `assistant: …` or `system: …`"


@finding_rule("S075", Severity.ERROR, Kind.KEY_IN_MESSAGE, why=REFUSED, why_accepted="It counts in no score.")
def key_in_message(finding: Finding, view: FileView) -> Report:
    text, key = view.text, finding.detail
    prompt = view.prompt(finding.prompt)
    mapping = NO_MAPPING if prompt is None else prompt.node
    messages, pair = mapping.pair("messages"), enclosing_mapping(view.tree, finding.span).pair(key)
    edits: tuple[TextEdit, ...] = ()
    if messages and pair and mapping.pair(key) is None and not view.is_json:
        edits = moved_below(text, pair.span, messages.span, column(text, messages.key.span.start))
    fixes = (Fix("move it to the prompt", False, edits),) if edits else ()
    told = f"`{key}` is a key of the prompt, and nobody reads it in a message: move it to the prompt"
    return Report(finding.span, told, fixes=fixes)


_ORDER = {
    "first": "the conversation begins with the assistant: on Weval the user must have the first turn",
    "last": "the conversation ends with this turn: on Weval the user must have the last turn",
    "twice": "the same side speaks twice in a row: on Weval turns must alternate",
}


@finding_rule(
    "S008",
    Severity.WARNING,
    Kind.MESSAGE_ORDER,
    why="It works here as documented. Weval refuses to run the blueprint, so nothing is scored there.",
)
def message_order(finding: Finding, view: FileView) -> Report | None:
    if finding.detail == "twice":
        same = [
            other
            for other in view.findings.get(finding.prompt, ())
            if other.kind is Kind.MESSAGE_ORDER and other.detail == "twice"
        ]
        if same[0] is not finding:
            return None
        if len(same) > 1:
            span = first_line(view.text, finding.span)
            message = f"the same side speaks twice in a row in {len(same)} places: on Weval turns must alternate"
            return Report(span, message)
    return Report(first_line(view.text, finding.span), _ORDER[finding.detail])


@finding_rule(
    "S009",
    Severity.WARNING,
    Kind.FIXED_ANSWER,
    why="Every model gets the same score, that of the written text. Weval refuses to run the blueprint.",
)
def fixed_answer(finding: Finding, view: FileView) -> Report:
    return Report(
        first_line(view.text, finding.span),
        "the rubric judges this last turn as written, and no model is asked for an answer",
    )
