"""What the rules say of the corpus and of the documents: what was verified by reading, and what is not reported."""

from __future__ import annotations

import json
import re
import textwrap
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import ALL, Checker, check
from engine.text.diagnostics import Severity
from tests.checked_corpus import read
from tests.many_cases import every
from tests.precision.reports import default_reports, reports
from tests.precision.table import BAR, stale_independent
from tests.precision.verdicts import FOLDER, INDEPENDENT, SECOND, Judged, Matched, Verdict, matched, precision, stored
from tests.thoroughness import one_in
from tests.world import CORPUS, NO_SHARED, SHARED, corpus_files, needs_corpus

EVERY_RULE = Checker(rule.selected() for rule in ALL)
BAD_REGEX = Checker(rule for rule in ALL if rule.slug == "bad-regex")


@cache
def _reports() -> dict[tuple[str, Severity], list[str]]:
    """The files of all reports, by slug and level."""
    found: dict[tuple[str, Severity], list[str]] = defaultdict(list)
    for path in corpus_files():
        for diagnostic in EVERY_RULE.check(read(path)):
            found[diagnostic.slug, diagnostic.severity].append(str(path))
    return found


@needs_corpus
@pytest.mark.thorough
@every("row", Path(__file__).with_name("corpus_counts.txt").read_text("utf-8").splitlines())
def test_a_rule_reports_what_was_read_and_counted(row: str) -> None:
    """A rule, its level, and how many reports of these there are in how many files."""
    slug, severity, *counted = row.split()
    found = _reports().get((slug, Severity[severity.upper()]), [])
    assert [len(found), len(set(found))] == [int(each) for each in counted]


@needs_corpus
def test_no_pattern_of_a_file_that_weval_reads_is_refused(javascript: JavaScript) -> None:
    refused = [
        path.name
        for path in corpus_files()
        if read(path).weval.error is None and BAD_REGEX.check(read(path), javascript)
    ]
    assert refused == []


# The precision that was found by reading reports


JUDGED = stored()
INDEPENDENTLY = stored(INDEPENDENT)
SECONDLY = stored(SECOND)
RULES = sorted({one.rule for one in JUDGED})


@cache
def today() -> Matched:
    """The reports on some files of the corpus, on all of them where all is tried, with their verdicts."""
    files = one_in(8, corpus_files())
    names = {path.relative_to(CORPUS).as_posix() for path in files}
    return matched(reports(files=files), [one for one in JUDGED if one.file in names])


def verdicts_on_warnings(slug: str) -> list[Verdict]:
    return [one.verdict for report, one in today().pairs if one.rule == slug and report.level is not Severity.HINT]


def gone(slug: str, verdict: Verdict) -> list[Judged]:
    return [one for one in today().gone if one.rule == slug and one.verdict is verdict]


@needs_corpus
@pytest.mark.parametrize("slug", RULES)
def test_what_was_rightly_reported_is_reported_still(slug: str) -> None:
    assert gone(slug, Verdict.RIGHT) == []


@needs_corpus
@pytest.mark.thorough
@every("slug", RULES)
def test_nine_of_ten_warnings_are_things_that_an_author_would_change(slug: str) -> None:
    counts = precision(verdicts_on_warnings(slug))
    assert counts.strict is None or counts.strict >= BAR


@every("slug", RULES)
def test_a_verdict_gives_its_reason(slug: str) -> None:
    assert [one for one in JUDGED if one.rule == slug and len(one.reason.split()) < 3] == []


def test_an_independent_verdict_gives_its_reason() -> None:
    assert [one for one in [*INDEPENDENTLY, *SECONDLY] if len(one.reason.split()) < 3] == []


@needs_corpus
@pytest.mark.thorough
def test_an_independent_verdict_belongs_to_a_report_or_is_listed_as_stale() -> None:
    independent = matched(default_reports(), INDEPENDENTLY)
    listed = list(stale_independent(independent))[1:]
    assert len(independent.pairs) + len(listed) == len(INDEPENDENTLY)


@every(
    "path",
    [path for folder in (FOLDER, INDEPENDENT, SECOND) for path in sorted(folder.glob("*.jsonl"))],
    ids=lambda path: f"{path.parent.name}/{path.stem}",
)
def test_verdicts_are_kept_in_the_file_of_their_rule(path: Path) -> None:
    assert {json.loads(row)["rule"] for row in path.read_text("utf-8").splitlines()} == {path.stem}


# What the documents show as good and as poor


SEEDS = SHARED / "seeds"
needs_documents = pytest.mark.skipif(not SEEDS.is_dir(), reason=NO_SHARED)
PATH_RULES = {"single-element-path", "contained-path", "lone-path", "path-outweighs"}


def document(number: str) -> str:
    """A document, empty where it is missing."""
    return next((path.read_text("utf-8") for path in SEEDS.glob(f"{number}_*.txt")), "")


def between(text: str, start: str, end: str) -> str:
    return text.partition(start)[2].partition(end)[0]


def examples(text: str) -> list[str]:
    """The rubrics in the examples of a text; an example may show several, parted by a blank line."""
    blocks = (
        textwrap.dedent(block) for block in re.findall(r"^ *```yaml\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    )
    return [rubric for block in blocks for rubric in re.split(r"\n(?=# |\n# )", block) if "should" in rubric]


def prompt_with(rubric: str) -> str:
    return f"- id: p\n  prompt: What is it?\n{textwrap.indent(textwrap.dedent(rubric).strip(), '  ')}\n"


FORMAT, SYSTEM = document("002"), document("000")
GOOD = examples(between(FORMAT, "**✅ Good Use Cases:**", "**❌ Poor Use Cases"))
POOR = examples(between(FORMAT, "**❌ Poor Use Cases", "**Decision Tree:**"))
PITFALL = examples(between(FORMAT, "Common Pitfall: Single-Element", "#### Understanding the Aggregation"))
PRACTICES = examples(between(SYSTEM, "**Negative Point-Functions", "4.  **Full `Point` Object**"))
DEFINED = examples(between(FORMAT, "#### Defining Alternative Rubric Paths", "**Mixing Required"))


@needs_documents
def test_the_documents_still_have_their_examples() -> None:
    assert (len(GOOD), len(POOR), len(PITFALL), len(PRACTICES), len(DEFINED)) == (5, 5, 3, 3, 1)


@needs_documents
@every("rubric", [*(rubric for rubric in POOR if "WRONG" in rubric), *PITFALL[:1]])
def test_a_documented_poor_use_of_paths_is_reported(rubric: str) -> None:
    assert PATH_RULES & {one.slug for one in check(parse(prompt_with(rubric)))}


@needs_documents
@every("rubric", [*GOOD, *(rubric for rubric in POOR if "CORRECT" in rubric), *PITFALL[1:], *PRACTICES, *DEFINED])
def test_what_the_documents_show_as_good_is_no_problem(rubric: str) -> None:
    found = check(parse(prompt_with(rubric)))
    assert {one.slug for one in found if one.severity is not Severity.HINT} <= {"vacuous-point"}
