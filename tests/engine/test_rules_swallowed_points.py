"""A point or a key that a text swallowed is reported at its line, whatever else is wrong; wrapped texts are silent."""

from __future__ import annotations

import textwrap
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.parsing import parse
from engine.rules import Checker, check
from engine.rules.registry import ALL
from engine.text.diagnostics import Diagnostic, Severity
from engine.text.spans import LineIndex, apply_edits
from tests.conservation.rubrics import criterion
from tests.many_cases import every
from tests.thoroughness import tried

# A point or a key that a text swallowed is reported at its line, whatever else is wrong; wrapped texts are silent


ONE_RULE = Checker(rule for rule in ALL if rule.slug == "swallowed-point")
OTHER_SLIPS = {
    "none": "- id: other\n  prompt: What else?\n  should:\n    - Names it\n",
    "a colon": "- id: other\n  prompt: What else: now?\n  should:\n    - Names it\n",
    "a bullet": "- id: other\n  prompt: What else?\n  should:\n    * Names it\n",
    "a tab": "- id: other\n  prompt: What else?\n\tshould:\n    - Names it\n",
    "a bracket": "- id: other\n  prompt: What else?\n  should: [Names it\n",
    "a key twice": "- id: other\n  id: again\n  prompt: What else?\n  should:\n    - Names it\n",
    "an alias": "- id: other\n  prompt: What else?\n  should: *missing\n",
}
SWALLOWED = {
    "a forgotten dash": "- {above}\n      {below}",
    "a dash too far right": "- {above}\n       - {below}",
    "a bullet": "- {above}\n      • {below}",
    "a quotation sign": '- "{above}\n      > {below}"',
    "an arrow": "- {above}\n      -> {below}",
    "an emoji": "- {above}\n      ✅ {below}",
    "a number in brackets": "- {above}\n      (2) {below}",
    "two dashes": "- {above}\n      -- {below}",
    "a dash and curly quotes": "- {above}\n       - “{below}”",
    "a question mark": "- {above}\n       - ? {below}",
    "a word in brackets": "- {above}\n       - [sic] {below}",
    "a letter": '- "{above}\n      c) {below}"',
    "a number": "- {above}\n      2. {below}",
    "quotation marks of its own": '- {above}\n      "{below}"',
    "a box": "- {above}\n      [ ] {below}",
    "a long dash": "- {above}\n      –{below}",
    "a check without its colon": "- {above}\n      $icontains cap",
    "a weight without its colon": "- {above}\n      weight 2",
    "a weight in brackets": "- {above}\n      (weight: 2)",
    "a sign without width": "- {above}\n       \u200b- {below}",
    "a quotation": '- "{above}\n      - {below}"',
    "a quotation without a dash": "- '{above}\n      {below}'",
    "a check in quotes": '- "{above}\n     - $icontains: cap"',
    "an argument": "- $icontains: '1,038\n     - {below}'",
    "a list of arguments": "- $contains_any_of:\n        - '1,038\n     - {below}'",
    "a full point": "- text: {above}\n        - {below}\n      weight: 2",
    "a key in quotes": '- "{above}\n      weight: 2\n      and more"',
    "a block text": "- |\n      {above}\n      - {below}",
    "a block text in a block text": "- >\n      {above}\n      - >\n      {below}",
    "a key in a block text": "- |\n      {above}\n      weight: 2",
    "a check in a block text": "- >\n      {above}\n      $icontains: cap",
    "a path": "- - {above}\n        {below}\n      - Names a third thing\n    - - Names more",
}


def spoiled(kind: str, rng: Random) -> tuple[str, int]:
    """A rubric of some points, one of which swallowed another, and the line of that, from 1."""
    points = [f"    - {criterion(rng)}" for _ in range(rng.randint(2, 5))]
    pair = SWALLOWED[kind].format(above=criterion(rng).replace("'", "’"), below=criterion(rng).replace("'", "’"))
    at = rng.randint(0, len(points))
    block = rng.choice(("should", "should_not"))
    head = ["- id: a", "  prompt: What is the cap?", f"  {block}:", *points[:at]]
    above = 2 if "|\n" in pair or ">\n" in pair or "any_of" in pair else 1
    return "\n".join([*head, f"    {pair}", *points[at:]]) + "\n", len(head) + above + 1


def lines_of(text: str, found: list[Diagnostic]) -> set[int]:
    return {text.count("\n", 0, one.span.start) + 1 for one in found if one.severity is not Severity.HINT}


@pytest.mark.parametrize("slip", OTHER_SLIPS)
@every("kind", SWALLOWED)
def test_what_a_text_swallowed_is_reported_at_its_line(kind: str, slip: str) -> None:
    for seed in range(tried(1, 4)):
        rng = Random(f"{kind} {slip} {seed}")
        text, line = spoiled(kind, rng)
        other = OTHER_SLIPS[slip]
        text, line = (other + text, line + other.count("\n")) if seed % 2 else (text + other, line)
        assert line in lines_of(text, list(check(parse(text)))), text


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_a_fix_makes_a_point_of_it(seed: int) -> None:
    rng = Random(seed)
    text, _ = spoiled(rng.choice([kind for kind in SWALLOWED if "key" not in kind]), rng)
    found = [one for one in ONE_RULE.check(parse(text)) if one.fixes]
    for one in found:
        [fix] = one.fixes
        after = parse(apply_edits(text, fix.edits))
        assert not fix.safe
        assert len(after.blueprint.prompts[0].points()) > len(parse(text).blueprint.prompts[0].points())
        assert len(ONE_RULE.check(after)) < len(found)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 10**6))
def test_wrapped_points_are_silent(seed: int) -> None:
    rng = Random(seed)
    lines = ["- id: a", "  prompt: What is the cap?", "  should:"]
    quote = rng.choice(("", '"'))
    for _ in range(rng.randint(1, 6)):
        words = criterion(rng).split()
        cuts = [0, *sorted(rng.sample(range(1, len(words)), rng.randint(1, 3))), len(words)]
        rows = [" ".join(words[start:end]) for start, end in pairwise(cuts)]
        wrapped = "\n      ".join(rows)
        lines.append(f"    - {quote}{wrapped}{quote}")
    assert ONE_RULE.check(parse("\n".join(lines) + "\n")) == ()


# Keys that a block text of a prompt or of the header swallowed, and texts that only look like it


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


@every("marked", [*(HEAD + each for each in AFTER_HEAD), *WHOLE])
def test_each_line_that_a_text_swallowed_is_told(marked: str) -> None:
    text = marked.replace("◀", "")
    lines = [number for number, line in enumerate(marked.split("\n")) if line.endswith("◀")]
    index = LineIndex(text)
    told = {index.position(one.span.start).line for one in check(parse(text)) if one.severity is not Severity.HINT}
    assert set(lines) <= told, text
