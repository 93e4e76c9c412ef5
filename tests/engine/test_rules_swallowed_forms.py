"""Keys that a block text of a prompt or of the header swallowed, and texts that only look like it."""

from __future__ import annotations

import textwrap

import pytest

from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.text.diagnostics import Severity
from engine.text.spans import LineIndex

CHECKER = Checker(rule for rule in ALL if rule.slug == "swallowed-point")

IN_HEADER = [
    ("description", "On water.\ntags: [water]"),
    ("description", "On water.\ntags:\n  - water"),
    ("description", "On water.\nmodels:\n  - openai:gpt-4o"),
    ("description", "On water.\nsystem: You are terse."),
    ("description", "On water.\n\n---"),
    ("system", "You are terse.\ntemperature: 0.2"),
    ("system", "You are terse.\nmodels: [CORE]"),
    ("system", "You are terse.\n---"),
]
IN_PROMPT = [
    ("prompt", "What is hail?\nshould:\n  - Says ice."),
    ("prompt", "What is hail?\nshould: [Says ice]"),
    ("prompt", "What is hail?\n\nideal: Ice that falls."),
    ("prompt", "What is hail?\nshould_not:\n  - Says snow."),
    ("prompt", "What is hail?\n\n- id: q\n  prompt: What is sleet?"),
    ("ideal", "Ice that falls.\nshould:\n  - Says ice."),
    ("ideal", "Ice that falls.\nprompt: |\n  What is hail?"),
    ("description", "A first try.\nshould:\n  - Says ice."),
]
TEXTS_OF_HEADER = [
    ("description", "First part\n\n---\n\nSecond part"),
    ("description", "Tests the following models: one and two.\nPoints: two."),
    ("description", "Sources:\n- a\n- b"),
    ("system", "You follow rules:\n- be terse\nTemperature: warm."),
    ("system", "Answer like this:\ntitle: the name\ntags: [one]"),
]
TEXTS_OF_PROMPT = [
    ("prompt", "Explain this file:\nversion: 3\nmodels:\n  - small"),
    ("prompt", "Explain this file:\n\n```yaml\nshould:\n  - x\n```"),
    ("prompt", "Decide.\nPoints:\n- one\n- two"),
    ("prompt", "Write the front matter.\ntitle: Rain\ntags: [rain]"),
    ("prompt", "First part\n---\nSecond part"),
    ("prompt", "What does `should:` mean?\n- a duty\n- a wish"),
    ("prompt", "Turn this into JSON.\nid: 7\nprompt: hello"),
    ("prompt", "Here is a chat.\nmessages:\n- hello"),
]

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
LOOK_ALIKES = [
    "prompt: |\n    Go on with this talk.\n    user: Hello\n    assistant: Hi\n    user: Who are you?\n",
    "prompt: |\n    Continue:\n    system: You are kind.\n    user: Hello\n",
    "prompt: |\n    Go on.\n\n    system: You are kind.\n    user: Hello\n    assistant: Hi\n",
    "messages:\n    - user: |\n        Go on with this.\n        user: Hello\n        assistant: Hi\n",
    "messages:\n    - user: |\n        Turn this into JSON:\n        - role: user\n          content: Hello\n",
    "prompt: |\n    Which model does this use?\n\n    temperature: 0.2\n    top_p: 0.9\n",
    "prompt: |\n    Correct my YAML.\n\n        should:\n          - greet\n",
    "prompt: |\n    Which parcel?\n    weight: 2\n    length: 30\n",
    "prompt: |\n    Shorten the recipe.\n    1. Boil 500 g of rice.\n    2. Wait.\n    Note: the rice sticks.\n",
    "ideal: |\n    Temperature: 180 degrees\n    Weight: 500 g\n    System: metric\n",
    "ideal: |\n    You should:\n    - rest\n    - drink\n",
    "ideal: |\n    Shoulder:\n    - pain\n    - stiffness\n",
    "prompt: What is the price of the book -\n    in euros - and of the pen?\n",
    "prompt: Was ging dem\n    2. Weltkrieg voraus?\n",
    "prompt: What of the civilians (Article\n    13) shall be protected, and (Article\n    14) who is to do so?\n",
    "prompt: >-\n    What follows?\n\n    - one\n    - two\n",
    'prompt: "Pick one.\n\n    - tea\n\n    - milk"\n',
    "prompt: Say hi\n  should:\n    - 'Names the end of the\n      2. Weltkrieg'\n    - Says when it was\n",
    "prompt: Say hi\n  should:\n    - |\n      Gives the grades\n      Note: two are enough\n      weight in kg\n",
    "prompt: Say hi\n  should:\n    - |\n      Names two of these:\n      - Names of birds\n      - Names of fish\n",
    "prompt: Explain the ratio\n    a:b in words, and the\n    system of units\n",
    "prompt: Say hi\n  should:\n    - - Greets\n      -\n      - Waves\n    - Smiles\n",
    "prompt: Say hi\n  should:\n    - Greets\n    -\n- id: two\n  prompt: Wave\n",
    "prompt: |\n    Sort these points\n    weight: heavy\n    temperature: warm\n",
]
"""What may follow `- id: one`, with nothing swallowed."""


def reports(text: str) -> list[str]:
    return [one.message for one in CHECKER.check(parse(text))]


def header(key: str, block: str) -> str:
    return f"{key}: |\n{textwrap.indent(block, '  ')}\n---\n- id: q\n  prompt: What is sleet?\n"


def prompt(key: str, block: str) -> str:
    other = "" if key == "prompt" else "  prompt: What is hail?\n"
    return f"- id: p\n  {key}: |\n{textwrap.indent(block, '    ')}\n{other}"


@pytest.mark.parametrize(("key", "block"), IN_HEADER)
def test_keys_that_became_text_of_the_header_are_found(key: str, block: str) -> None:
    assert reports(header(key, block)) != []


@pytest.mark.parametrize(("key", "block"), IN_PROMPT)
def test_keys_that_became_text_of_a_prompt_are_found(key: str, block: str) -> None:
    assert reports(prompt(key, block)) != []


@pytest.mark.parametrize(("key", "block"), TEXTS_OF_HEADER)
def test_a_text_of_the_header_with_keys_of_its_own_is_left_alone(key: str, block: str) -> None:
    assert reports(header(key, block)) == []


@pytest.mark.parametrize(("key", "block"), TEXTS_OF_PROMPT)
def test_a_text_of_a_prompt_with_keys_of_its_own_is_left_alone(key: str, block: str) -> None:
    assert reports(prompt(key, block)) == []


def test_a_file_that_a_prompt_quotes_beside_its_own_points_is_left_alone() -> None:
    quoted = "Is this YAML right?\n\nprompt: hello\nshould:\n  - greet"
    block = textwrap.indent(quoted, "    ")
    assert reports(f"- id: p\n  prompt: |\n{block}\n  should:\n    - Says yes\n") == []


@pytest.mark.parametrize("marked", [*(HEAD + each for each in AFTER_HEAD), *WHOLE])
def test_each_line_that_a_text_swallowed_is_told(marked: str) -> None:
    text = marked.replace("◀", "")
    lines = [number for number, line in enumerate(marked.split("\n")) if line.endswith("◀")]
    index = LineIndex(text)
    told = {index.position(one.span.start).line for one in check(parse(text)) if one.severity is not Severity.HINT}
    assert set(lines) <= told, text


@pytest.mark.parametrize("rest", LOOK_ALIKES)
def test_a_text_that_only_looks_like_the_blueprint_is_left_alone(rest: str) -> None:
    assert reports(f"{HEAD}  {rest}") == []
