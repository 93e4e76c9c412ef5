"""# yaml-syntax

Text that is not valid YAML: an unquoted colon, a quotation mark that is never closed, a line with too little
indentation.

Weval refuses the whole file, so nothing in it is scored. Here, the rest of the file is still checked, and the message
points at the cause, often far above the place where YAML reports the error. After each error, the prompt is read on as
if the error were repaired: several slips in one prompt are several reports, each with its own fix. A quoted text that
is closed only by the next quotation mark further down is reported even if YAML can read it: it has swallowed the keys
in between.

A file that is too large to be checked (more than 4 MB, 100,000 lines, or 50,000 keys and values) has this one error.

Bad:

    - id: capital
      prompt: Answer in one word: what is the capital of Kenya?
      should:
        - Names Nairobi

Good:

    - id: capital
      prompt: "Answer in one word: what is the capital of Kenya?"
      should:
        - Names Nairobi

Fix (safe), where only one thing can be meant: quote the value; close the quotation mark or the bracket; write `-` for a
bullet, `---` for another separator, `:` and spaces where they are missing; add the dash of an item or of a prompt;
indent a block that stands too far left or right, or the text below its key.

Documents: Blueprint format, YAML Blueprint Format.

# duplicate-key

The same key twice in one mapping, such as two `should:` in one prompt.

Weval refuses the whole file, so nothing in it is scored. In JSON, only the last of the two counts and the value of the
first is lost, which is a warning.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
      should:
        - Says that it is in East Africa

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi
        - Says that it is in East Africa

Fix: none. Join the two, or remove one.

Documents: Blueprint format, YAML Blueprint Format.

# tab-indent: Tab in the indentation

A line that is indented with a tab.

YAML allows only spaces there. Weval refuses the whole file, so nothing in it is scored. Many editors show a tab like
spaces, so the line looks right.

Bad:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
    \t- Names Nairobi

Good:

    - id: capital
      prompt: What is the capital of Kenya?
      should:
        - Names Nairobi

Fix (safe): replace the tabs with spaces in all lines of the prompt that start with tabs, or remove them
before a key at the margin.

Documents: Blueprint format, YAML Blueprint Format.

# ended-alias

An alias (`*name`) whose anchor (`&name`) stands in another document, stands below it, or has another name.

An anchor holds up to the next `---`. What is shared in the header cannot be repeated in the prompts below that line:
write it there, or define a check once under `point_defs` and call it with `$ref`.

Bad:

    - id: letter
      prompt: Write a greeting for a shop.
      should: &polite
        - Greets the reader
    ---
    - id: farewell
      prompt: Write a farewell for a shop.
      should: *polite

Good:

    - id: letter
      prompt: Write a greeting for a shop.
      should: &polite
        - Greets the reader
    - id: farewell
      prompt: Write a farewell for a shop.
      should: *polite

Fix (unsafe): the name that was meant.

Documents: Blueprint format, YAML Blueprint Format.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.rules.rule import Report, Rule, file_rule
from engine.rules.views import FileView
from engine.text.diagnostics import Related, Severity
from engine.text.spans import Span
from engine.yaml.layout import line_end
from engine.yaml.nodes import MappingNode, Node, Pair, SequenceNode, property_name
from engine.yaml.slips import SlipRule

# `engine.yaml` finds both while the text is read. This module holds their pages, the report of an error without
# a known cause, and of duplicate keys in JSON.


@file_rule("Y001", Severity.ERROR, why="Weval refuses the whole file: nothing in it is scored.")
def yaml_syntax(view: FileView) -> Iterator[Report]:
    error = view.tree.error
    if error is None or view.tree.diagnostics:
        return
    offset = min(error.offset, len(view.text))
    reason = error.reason[:1].lower() + error.reason[1:]
    yield Report(Span(offset, line_end(view.text, offset)), f"this cannot be read: {reason}")


@file_rule("Y002", Severity.ERROR, why="Weval refuses the whole file: nothing in it is scored.")
def duplicate_key(view: FileView) -> Iterator[Report]:
    for document in view.tree.documents if view.is_json else ():
        if document.root is not None:
            yield from _duplicates_in(document.root)


def _duplicates_in(node: Node) -> Iterator[Report]:
    match node:
        case MappingNode(pairs=pairs):
            first: dict[str, Pair] = {}
            for pair in pairs:
                name = property_name(pair.key)
                earlier = first.setdefault(name, pair)
                if earlier is not pair:
                    yield Report(
                        pair.key.span,
                        f"`{name}` is written twice: only the last one counts",
                        "The value of the first is lost and counts in no score.",
                        Severity.WARNING,
                        related=(Related(earlier.key.span, f"the first `{name}` is here"),),
                    )
                yield from _duplicates_in(pair.value)
        case SequenceNode(items=items):
            for item in items:
                yield from _duplicates_in(item)
        case _:
            return


# `engine.yaml.diagnosis` finds it while the text is read; this module holds its page.


# `engine.yaml` finds the aliases while the text is read. This module holds their page.


tab_indent = Rule(
    code="Y011",
    slug="tab-indent",
    severity=Severity.ERROR,
    why="Weval refuses the whole file: none of its prompts is run or scored.",
)
ended_alias = Rule(
    code=SlipRule.ENDED_ALIAS.value[0],
    slug=SlipRule.ENDED_ALIAS.value[1],
    severity=Severity.ERROR,
    why="Weval refuses the whole file: none of its prompts is run or scored.",
)
