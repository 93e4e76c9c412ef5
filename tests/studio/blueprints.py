"""Blueprints, answers and judges that pictures and tests of the app share."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

from engine.evaluation.sources import AnswerSource, ControlKind, ControlSource, IdealSource
from engine.files.own_files import data_dir
from engine.parsing import parse
from engine.store import Store
from engine.text.diagnostics import Severity
from tests.engine.judged import save_answer
from tests.studio.driving import Page
from tests.studio.model_server import ModelServer, verdict
from tests.studio.text_files import text_file

RIVERS = text_file("rivers.yml")
CAPITALS = text_file("capitals.yml")
"""Two prompts with checks that the service at `host` makes."""

# --- One criterion

CRITERION = "Says that the deposit must be protected within 30 days"
DEPOSIT = f"""\
- id: deposit
  prompt: My landlord took a deposit. What must happen with it?
  ideal: The landlord must protect your deposit within 30 days, and tell you in which scheme.
  should:
    - {CRITERION}
    - Names the court as the place to claim
"""
DEPOSIT_CASES = text_file("deposit.yml.cases")
_EXTENTS = ("CLASS_ABSENT", "CLASS_SLIGHTLY_PRESENT", "CLASS_MAJORLY_PRESENT", "CLASS_FULLY_PRESENT")


def quoting_judge(body: dict[str, Any]) -> str:
    """A judge that counts the long words of a criterion in the answer, and quotes the first one."""
    asked = body["messages"][1]["content"]
    criterion = asked.rpartition("<criterion")[2].partition("\n")[2].partition("\n</")[0].lower()
    answer = asked.partition('graded="yes">')[2].partition("</turn")[0].lower()
    found = [word for word in criterion.split() if len(word) > 5 and word in answer]
    quoted = f"It says “{found[0]}” and means it." if found else "Nothing of the kind is said."
    return verdict(_EXTENTS[min(len(found), 3)], quoted)


def with_judges(server: ModelServer, rubric: str) -> str:
    """`rubric` with two judges, behind a description so long that the server's address, which changes, is not seen."""
    models = f"models: [{server.model('strict')}, {server.model('kind')}]"
    judges = ", ".join(f"{{model: 'own:{name}', approach: standard, id: {name}}}" for name in ("strict", "kind"))
    description = "description: |\n" + "  What a tenant should know.\n" * 60
    return f"{models}\n{description}evaluationConfig: {{llm-coverage: {{judges: [{judges}]}}}}\n---\n{rubric}"


async def shortened(page: Page) -> None:
    """Take the last three words of the criterion away."""
    await page.at(CRITERION, behind=True)
    await page.press(*["ctrl+w"] * 3)


# --- Answers beside each other

SOURCES: tuple[AnswerSource, ...] = (IdealSource(), ControlSource(ControlKind.ECHO), ControlSource(ControlKind.EMPTY))
"""For `TENANCY`: ideals score 67, 100 and 100; the prompts repeated 67, 0 and 50; empty answers 0, 0 and 50."""
TENANCY = text_file("tenancy.yml")
TENANCY_LATER = TENANCY.replace("24 hours, in writing.", "24 hours.").replace(
    "    - $icontains: prescribed information\n", ""
)
"""The same with another ideal and another rubric."""
OLD_RENT = text_file("old-rent.yml")
NEW_RENT = OLD_RENT.replace("ideal: It is due on the first.", "ideal: It is due monthly, in advance.").replace(
    "    - $icontains: month\n", "    - $icontains: month\n    - $icontains: in advance\n"
)
RIGHTS = text_file("rights.yml")
_JUDGED_ANSWERS = (
    (
        "Your landlord must protect it within 30 days, in an authorised scheme.\n\nAsk the county court.",
        [1.0, 0.5],
        [0.0],
    ),
    ("Talk to your landlord first. Until it is protected, you need not pay the rent.", [0.25, 0.0], [1.0, 0.75]),
    ("You have a right to quiet enjoyment: 24 hours of notice, but in an emergency.", [0.5], [0.25]),
)


async def answer_all(page: Page) -> None:
    """Answer every prompt from each of `SOURCES`."""
    for source in SOURCES:
        await page.choose(source)
        await page.press("f6")
    await page.choose(*SOURCES)
    await page.settle()


def save_judged_answers(path: Path) -> None:
    """As if three answers to each prompt of `RIGHTS` had been judged in an earlier session."""
    blueprint = parse(RIGHTS, path).blueprint
    with closing(Store(data_dir() / "studio.sqlite3")) as store:
        for number, (answer, *extents) in enumerate(_JUDGED_ANSWERS):
            for prompt in blueprint.prompts:
                given = extents[: len(prompt.points())]
                save_answer(store, blueprint, prompt, answer, given, f"openai:gpt-{number}", file=path)


# --- Results

NOTICE = text_file("notice.yml")
SUMS = text_file("sums.yml")
TALK = text_file("talk.yml")
TALK_REPLIES = (
    "Since when is it **broken**?",
    "1. Write once more.\n2. Call *environmental health*.\n\nThey can order the landlord to mend it within a set time.",
    "Keep a record of every letter.",
)
MARKDOWN = text_file("markdown.yml")
PERIOD = text_file("period.yml")
TENANTS = text_file("tenants.yml")
MARCH = text_file("march.yml")
SIX_PROMPTS = text_file("six-prompts.yml")
"""With weights, five of them with ideals, and a header that says much."""

# --- For the editor

ASSEMBLY = """\
title: Freedom of assembly   # a comment
tags: [rights, &law law]
temperatures: [0.0, 0.7]
---
- id: march
  prompt: |
    May a state ban a march it finds
    offensive?
  should:
    - "$icontains: 'Article 19'"
    - Says that offence is no ground
    - - $icontains: covenant
  render_as: plain
  weight: null
  note: "\x1b[31m \u202e \ttab 漢字 \\n"
"""
ASSEMBLY_MARKS = (
    (Severity.ERROR, "\"$icontains: 'Article 19'\"", None),
    (Severity.WARNING, "a march it finds\n    offensive", None),
    (Severity.HINT, "- - $icontains", 1),
    (Severity.ERROR, "null\n", 0),
)
"""One of each severity, one over two lines, one empty."""
LONG_LINES = """\
- id: rent
  prompt: "My landlord says I must leave within a week (he told me so on the phone). Is that lawful, and what can I do?"
  should:
    - Says that notice must be given in writing, that the period is set by the lease or else by statute, never by phone
    - - $icontains: "a control \x1b[31m character, 漢字 and an ↵ in a line that is long enough to be wrapped"
"""
