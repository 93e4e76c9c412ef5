"""Keys that a block text of a prompt or of the header swallowed, and texts that only look like it."""

from __future__ import annotations

import textwrap

import pytest

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Severity
from engine.text.spans import LineIndex

HEAD = "title: t\nmodels: [openai:gpt-4o-mini]\n---\n- id: one\n"
REST = "  should:\n    - Greets\n    - Waves\n"
AFTER_HEAD = [
    # a key that stands deeper than the block text above it
    *(
        f"  {key}: |\n    Dear friend.\n{by}{written}:◀\n{dash}- Greets\n{dash}- Waves\n  {other}{rest}"
        for key, other in (("ideal", "prompt: Say hi\n"), ("prompt", "ideal: Hi\n"))
        for by, dash in (("     ", "       "), ("      ", "        "), ("     ", "    "))
        for written in ("should", "should_not")
        for rest in ("", REST if written == "should_not" else "")
    ),
    "  prompt: |\n    Say hi\n     ideal: Dear friend◀\n" + REST,
    "  prompt: |\n    Say hi\n     - id: two◀\n       prompt: Wave\n" + REST,
    # below a blank line in quotes
    "  prompt: Say hi\n  ideal: 'Hello\n\n  should:◀\n    - Greets'\n",
    "  prompt: Say hi\n  ideal: 'Hello\n\n  should:◀\n    - Greets\n  should_not:◀\n    - Shouts'\n",
    '  prompt: "Say hi\n\n  should:◀\n\n    - Greets\n\n    - Waves"\n  ideal: x\n',
    # a slip in the key
    *(
        f"  prompt: Say hi\n  ideal: {sign}\n    Dear friend.\n    {written}◀\n      - Greets\n"
        for sign in "|>"
        for written in ("should：", "Should:", "should :", "shoud:", "SHOULD:", "should", "should_nt:", '"should":')
    ),
    # in a message
    '  messages:\n    - user: "Say hello\n    - assistant: Hi◀\n    - user: Again"◀\n' + REST,
    "  messages:\n    - user: |\n        Say hello\n        - assistant: Hi◀\n        - user: Again◀\n" + REST,
    '  messages:\n    - role: user\n      content: "Say hello\n    - role: assistant◀\n      content: Hi"\n' + REST,
    "  messages:\n    - role: user\n      content: |\n        Hello\n        role: assistant◀\n        content: Hi◀\n",
    "  messages:\n    - role: user\n      content: |\n        Say hello\n         - role: assistant◀\n" + REST,
    "  messages:\n    - user: |\n        Say hello\n        should:◀\n          - Greets\n",
    # other keys
    *(
        f"  {key}: |\n    Say hello\n    {written}\n    Thanks\n  {other}"
        for key, other in (("ideal", "prompt: Say hi\n"), ("prompt", REST.lstrip()))
        for written in (
            "system: You are kind◀",
            "temperature: 0.2◀",
            "weight: 2◀",
            "citation: The law◀",
            "tools: [search]◀",
            "citation:◀\n      title: The law",
            "tools:◀\n      - name: search",
        )
    ),
    "  system: |\n    Be kind.\n    prompt: Say hello◀\n" + REST,
    "  prompt: Say hi\n  should:\n    - |\n      Names one\n      - Names two◀\n      citation: The law◀\n"
    "      weight: 2◀\n    - Names three\n    - Says four\n",
    "  prompt: Say hi\n  should:\n    - 'Names one\n\n    should_not:◀\n      - Shouts'◀\n",
    "  prompt: Say hi\n  should:\n    - |\n      Names one\n\n      $icontains: two◀\n      weight: 2◀\n",
    # lists that YAML joins
    "  prompt: Say hi\n  should:\n    - Names all of these\n      1. the cap◀\n      2. the price◀\n",
    "  prompt: Say hi\n  should:\n    - 'Names\n      2. the price'◀\n",
    "  prompt: Say hello\n    - politely◀\n" + REST,
    '  prompt: "Say hello to\n    - the reader◀\n    - the writer"◀\n' + REST,
    '  prompt: "Say hello to\n    - the reader◀\n    politely"\n' + REST,
    "  prompt: Say hi\n  ideal: Hello\n    - reader◀\n" + REST,
    *(
        f"  prompt: Say hi\n  ideal: Hello you.\n      - {written}◀\n{REST}"
        for written in (
            "- Bows",
            "– Bows",
            "\u200b'Bows'",
            "a) Bows",
            "[Bows to the reader]",
            "[ ] Bows",
            "$icontains = 'hello'",
            "{{Bows}}",
        )
    ),
    "  prompt: Say hello to\n    1. the reader◀\n    2. the writer◀\n" + REST,
    "  prompt: Say hello\n    • politely◀\n" + REST,
    # behind an empty dash of an inner list
    "  prompt: Say hi\n  tags:\n    - #1 of all\n- id: two◀\n  prompt: Wave\n" + REST,
    "  prompt: Say hi\n" + REST + "  topics:\n    - hail\n    -\n\n- prompt: Wave◀\n" + REST,
    "  prompt: Say hi\n  should:\n    - - Greets\n      -\n    - Waves◀\n    - Smiles\n",
    "  prompt: Say hi\n  should:\n    - Greets\n     - # Waves◀\n    - Smiles\n",
    # no space after the colon
    "  prompt: Write\n     ideal:Dear friend◀\n" + REST,
    "  prompt: Write\n    should:Greets◀\n  ideal: x\n",
]
WHOLE = [
    f"{key}{quote}A test\n{by}models: [openai:gpt-4o-mini]◀\n{by}system: Be kind{end}◀\n---\n- id: one\n  prompt: q\n"
    for key in ("description: ", "system: ", "title: ")
    for quote, end, by in (('"', '"', ""), ("'", "'", "  "), ("|\n  ", "", "  "))
    if not (key == "system: " and by)
] + ["system: |\n  Be kind.\n  prompt: Say hello◀\n---\n- id: one\n  prompt: q\n"]
"""Files in which `>` at the end of a line marks what the text above it swallowed."""


def header(key: str, block: str) -> str:
    return f"{key}: |\n{textwrap.indent(block, '  ')}\n---\n- id: q\n  prompt: What is sleet?\n"


def prompt(key: str, block: str) -> str:
    other = "" if key == "prompt" else "  prompt: What is hail?\n"
    return f"- id: p\n  {key}: |\n{textwrap.indent(block, '    ')}\n{other}"


@pytest.mark.parametrize("marked", [*(HEAD + each for each in AFTER_HEAD), *WHOLE])
def test_each_line_that_a_text_swallowed_is_told(marked: str) -> None:
    text = marked.replace("◀", "")
    lines = [number for number, line in enumerate(marked.split("\n")) if line.endswith("◀")]
    index = LineIndex(text)
    told = {index.position(one.span.start).line for one in check(parse(text)) if one.severity is not Severity.HINT}
    assert set(lines) <= told, text
