"""Our reading of a blueprint: what it says, what was met on the way and where; and what the platform answers."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.blueprint import Prompt, Rubric
from engine.evaluation.headline import Headline, Remark, headline, overall
from engine.evaluation.sources import Candidate, IdealSource
from engine.parsing import Parsed, parse, reading, weval_config
from engine.parsing.demands import Finding, Kind
from engine.parsing.normalised_form import hash_id
from engine.scoring.assessment import AssessedBy, Assessment, Bounds
from engine.scoring.explanation import Explanation
from engine.scoring.explanation_builder import explain
from engine.scoring.sums import place
from engine.store import PromptPlace, RunState, Store
from engine.text.spans import LineIndex, Position
from engine.yaml.nodes import Data, canonical_json
from tests.checked_corpus import read
from tests.engine.short_cases import assert_says
from tests.many_cases import every
from tests.thoroughness import tried
from tests.world import CORPUS, corpus_files, golden, needs_corpus, needs_shared

LIST = "- id: a\n  prompt: x\n- id: b\n  prompt: y\n"
THREE_LEVELS = "[[a, b], [c]]"


def prompt(body: str, header: str = "") -> Prompt:
    """The only prompt of a file that begins with `header`; `body` are its lines below `id` and `prompt`."""
    [only] = parse(header + one(body)).blueprint.prompts
    return only


def one(body: str) -> str:
    return "- id: p1\n  prompt: hi\n" + "".join(f"  {line}\n" for line in body.splitlines())


def should(*items: str) -> str:
    return one("should:\n" + "\n".join(f"  - {item}" for item in items))


def rubric(*items: str, header: str = "") -> Rubric:
    [only] = parse(header + should(*items)).blueprint.prompts
    assert only.should is not None
    return only.should


def underlined(text: str, kind: Kind) -> list[str]:
    return [finding.span.of(text) for finding in of_kind(parse(text), kind)]


def of_kind(parsed: Parsed, kind: Kind) -> list[Finding]:
    return [finding for finding in parsed.findings if finding.kind is kind]


# The four structures

HEADER_AND_LIST = "title: T\n---\n- id: a\n  prompt: x\n- id: b\n  prompt: y\n"


def test_a_prompt_spans_its_item_without_the_dash() -> None:
    second = parse(LIST).blueprint.prompts[1]
    assert second.span.of(LIST) == "id: b\n  prompt: y"


# Weval's answer and ours


def test_where_both_read_the_same_there_is_no_reading_of_ours() -> None:
    assert reading(parse(HEADER_AND_LIST)) is None


def test_where_weval_refuses_what_the_documents_show_there_is_a_reading() -> None:
    parsed = parse(should(THREE_LEVELS))
    text = {"multiplier": 1}
    assert weval_config(parsed) is None
    assert reading(parsed) == {
        "prompts": [
            {
                "messages": [{"role": "user", "content": "hi"}],
                "id": "p1",
                "render_as": "markdown",
                "points": [[{"text": "a"} | text, {"text": "b"} | text], [{"text": "c"} | text]],
            }
        ]
    }


@pytest.mark.parametrize("text", [should("{}"), "- id: a\n  prompt: 'x\n"])
def test_an_error_has_no_reading(text: str) -> None:
    assert reading(parse(text)) is None


# What cannot be read whole


@given(st.text(alphabet="-:[]{}$ \n'\"#|>&*!ax1", max_size=60))
def test_no_text_makes_the_parser_fail_and_every_finding_lies_within_it(text: str) -> None:
    parsed = parse(text)
    assert (weval_config(parsed) is not None) is parsed.weval.ok
    assert all(0 <= f.span.start <= f.span.end <= len(text) for f in parsed.findings)


def test_an_id_made_under_a_header_that_is_refused_is_not_taken_for_another_file_s() -> None:
    parse("render_as: xml\n---\n- prompt: never asked before\n")
    parsed = parse("title: T\n---\n- prompt: never asked before\n")
    config: Any = weval_config(parsed)
    assert parsed.blueprint.prompts[0].id == hash_id(config["prompts"][0])


# What JavaScript takes for blank, for an address, and for an object


def test_the_definition_that_every_object_of_javascript_has_is_empty() -> None:
    parsed = parse("- id: a\n  prompt: x\n  should: [{$ref: __proto__}]\n")
    config: Any = weval_config(parsed)
    assert config["prompts"][0]["points"] == [{}]
    assert of_kind(parsed, Kind.UNDEFINED_REF)


@given(
    st.one_of(
        st.integers(-(2**70), 2**70).map(str),
        st.floats().map(lambda number: {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(str(number), str(number))),
        st.sampled_from(
            ["1.0", "-0.0", "2020-01-01", "null", "true", "text", "[1.0, {a: 2.5}]", "{<<: {1: .inf}, b: 2}"]
        ),
    )
)
def test_every_value_of_a_prompt_is_in_the_normalised_form_what_json_can_say_of_it(written: str) -> None:
    """As in the header, whose values are all mended one by one."""
    config: Any = weval_config(parse(f"description: {written}\n---\nprompt: hi\ndescription: {written}\n"))
    assert repr(config["prompts"][0]["description"]) == repr(config["description"])
    json.dumps(config, allow_nan=False)


# Points


@every(
    ("item", "underlined_part"),
    [("Names it", "Names it"), ("{$contains: x, weight: 2}", "$contains"), ("{fn: contains, arg: x}", "contains")],
)
def test_a_point_points_at_its_text_or_its_function(item: str, underlined_part: str) -> None:
    text = should(item)
    [point] = parse(text).blueprint.prompts[0].points()
    assert point.subject_span.of(text) == underlined_part


# Scores in a file with YAML errors: none is surer than the points and the prompts that could not be read


BREAKS = ("    - [two\n", '    - $icontains: "y\n', "\t- a\n", "    - {text: a\n", "    - a: b: c\n")
"""Lines that no YAML reader reads to the end."""


def fully_met(prompt: Prompt, extent: float = 1.0) -> Explanation:
    return explain(prompt, [Assessment(placed, extent, AssessedBy.JUDGE) for placed in place(prompt)])


def told(prompt: Prompt) -> Headline:
    return headline(fully_met(prompt))


def last_prompt(text: str) -> Prompt:
    return parse(text).blueprint.prompts[-1]


def scores(_: str, text: str) -> Iterator[str]:
    """How all prompts of a file score of which each point that can be read is met."""
    parsed = parse(text)
    for prompt in parsed.blueprint.prompts:
        explanation = fully_met(prompt)
        yield f"{prompt.id}: {headline(explanation)}; stored by Weval: {explanation.weval.stored}"
        yield from explanation.notes[:1]
    told_of = [(prompt.weight, told(prompt)) for prompt in parsed.blueprint.prompts]
    yield f"all: {overall(told_of, unread=len(parsed.broken.unread))}"


def test_a_file_that_cannot_be_read_whole_scores_as_its_file_says(pytestconfig: pytest.Config) -> None:
    assert_says(Path(__file__).with_name("broken_score_cases.txt"), scores, pytestconfig)


def test_the_remark_stands_before_all_others_and_after_the_points() -> None:
    broken = "- id: b\n  prompt: x\n  should:\n    - one\n    - two\n    <<<<<<< mine\n"
    one, other = place(prompt := last_prompt(broken))
    explanation = explain(prompt, [Assessment(one, 0.0, AssessedBy.FUNCTION, error="no such check"), Assessment(other)])
    assert headline(explanation).details == (
        "1 of 2 criteria judged, part of the rubric cannot be read, 1 check could not run"
    )


def test_no_point_and_no_group_of_it_is_surer() -> None:
    explanation = fully_met(last_prompt("- id: b\n  prompt: x\n  should:\n    - one\n    - - two\n    - [three\n"), 0.5)
    groups = explanation.groups()
    anything = Bounds(0.0, 1.0)
    assert {group.bounds for group in groups} == {anything}
    assert {point.met for group in groups for point in group.points} == {anything}
    assert {advice.after for advice in explanation.advice} <= {anything}


def test_an_earlier_run_of_it_is_no_surer(tmp_path: Path) -> None:
    prompt = last_prompt("- id: b\n  prompt: x\n  should:\n\t- one\n")
    where = PromptPlace.of(tmp_path / "b.yml", prompt)
    with closing(Store(tmp_path / "studio.sqlite3")) as store:
        store.end_run(
            store.begin_run(where, Candidate(IdealSource()), ""), RunState.SCORED, explanation=fully_met(prompt)
        )
        assert str(store.past_runs(where)[0].headline) == "0–100, part of the rubric cannot be read"


@needs_corpus
@every("seed", range(tried(10, 60)))
def test_wherever_a_corpus_file_breaks_the_prompt_is_open_and_says_so(seed: int) -> None:
    """The law: of each prompt that an error cuts off the bounds are 0 and 1 and the remark is made; of no other is."""
    rng = random.Random(seed)
    text = _read(rng.choice(corpus_files()))
    lines = text.splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(BREAKS))
    parsed = parse("".join(lines))
    for prompt in parsed.blueprint.prompts:
        head = told(prompt)
        cut = prompt.index in parsed.broken.prompts
        assert (Remark.UNREAD_POINTS in dict(head.remarks)) is cut
        assert not cut or head.bounds == Bounds(0.0, 1.0)


STRAY = (*BREAKS, "-\tid: b\n", "- [a\n", "- 'a\n", '- id: "b\n', "- {id: b\n", "- @x\n", "- %x\n", "- ]\n", " - x\n")


@needs_corpus
@every("seed", range(tried(40, 200)))
def test_no_prompt_of_the_corpus_is_lost_without_a_word(seed: int) -> None:
    """The law: where a broken line leaves fewer prompts than there were, a part of the file is known to be unread."""
    rng = random.Random(seed)
    path = rng.choice(corpus_files())
    lines = _read(path).splitlines(keepends=True)
    lines.insert(rng.randrange(len(lines) + 1), rng.choice(STRAY))
    now = parse("".join(lines), path)
    lost = len(read(path).blueprint.prompts) - len(now.blueprint.prompts)
    assert now.tree.error is None or now.broken.unread or lost <= 0


DASH = re.compile(r"^ *- (?=id: )", re.MULTILINE)
AT_THE_DASH = ("-\t", "-\n\t", "- 'x\n-\t", "-\t\t", "- \t")


@needs_corpus
@every("seed", range(tried(30, 100)))
def test_every_prompt_of_the_corpus_is_counted_once_whatever_stands_at_its_dash(seed: int) -> None:
    """The law: prompts and unread parts together are as many as the items of the list, read or not."""
    rng = random.Random(seed)
    path = rng.choice([path for path in corpus_files() if DASH.search(_read(path))])
    text = _read(path)
    dash = rng.choice(list(DASH.finditer(text)))
    margin = " " * (len(dash[0]) - 2)
    spoilt = rng.choice(AT_THE_DASH)
    now = parse(text[: dash.start()] + margin + spoilt.replace("\n-", f"\n{margin}-") + text[dash.end() :], path)
    counted = len(now.blueprint.prompts) + len(now.broken.unread)
    assert counted == len(read(path).blueprint.prompts) + spoilt.count("'")


def _read(path: Path) -> str:
    return path.read_text("utf-8")


# What the platform answers: every row of the goldens, and every file of the corpus


CASES = golden("parse_cases")
EXAMPLES = golden("docs_examples")
CORPUS_ROWS = golden("parse_corpus")

OTHER_SUM = {"hash/numbers": "its sum was taken over 1e21 and 1e-7 as Python prints them, not as JavaScript does"}
"""Rows whose normalised form is the platform's, and whose checksum is of another spelling of it."""


def name_of(row: dict[str, Any]) -> str:
    return ascii(row["name"])


def example_of(row: dict[str, Any]) -> str:
    return f"example {row['id']}"


def source_of(row: dict[str, Any]) -> str:
    return str(row["source"])


def path_of(row: dict[str, Any]) -> Path:
    return Path(f"blueprint.{row['file_type']}")


def canonical_digest(config: Data) -> str:
    """The checksum of a normalised form as `golden/README.md` writes it, lone surrogates as they are."""
    text = re.sub(r"(?<!\\)\\u(d[89a-f][0-9a-f]{2})", lambda half: chr(int(half[1], 16)), canonical_json(config))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def corpus_path(name: str) -> Path:
    return CORPUS / name.removeprefix("configs/blueprints/")


@every("row", CASES, ids=name_of)
def test_a_document_is_read_or_refused_as_on_the_platform_to_the_order_of_keys(row: dict[str, Any]) -> None:
    assert_read(row)


@needs_shared
@every("row", EXAMPLES, ids=example_of)
def test_an_example_of_the_documents_is_read_or_refused_as_on_the_platform(row: dict[str, Any]) -> None:
    assert_read(row)


def assert_read(row: dict[str, Any]) -> None:
    """To the order of keys, with the checksum, and in the platform's words where it is refused."""
    weval, config = (parsed := parse(row["content"], path_of(row))).weval, weval_config(parsed)
    assert (weval.ok, json.dumps(config)) == (row["ok"], json.dumps(row["config"]))
    assert (weval.error and said(weval.error.message)) == (row["error"] and said(row["error"]))
    if row["ok"] and row.get("name") not in OTHER_SUM:
        assert canonical_digest(config) == row["canonical_sha256"]


@every("row", [row for row in CASES if row.get("yaml_mark")], ids=name_of)
def test_a_yaml_error_is_at_the_platform_s_place(row: dict[str, Any]) -> None:
    error = parse(row["content"], path_of(row)).weval.error
    assert error is not None
    mark = row["yaml_mark"]
    assert LineIndex(row["content"]).position(error.offset) == Position(mark["line"], mark["column"])


@every("row", [row for row in CASES if row.get("hash_inputs")], ids=name_of)
def test_a_prompt_without_id_gets_the_platform_s_hash(row: dict[str, Any]) -> None:
    prompts = parse(row["content"], path_of(row)).blueprint.prompts
    assert {prompt.id for prompt in prompts if not prompt.id_written} == set(row["hash_inputs"])


@needs_shared
@needs_corpus
@every("row", CORPUS_ROWS, ids=lambda row: row["file"])
def test_a_corpus_file_is_read_as_the_platform_reads_it(row: dict[str, Any]) -> None:
    path = corpus_path(row["file"])
    config = weval_config(parse(path.read_bytes().decode("utf-8"), path))
    assert (json.dumps(config), canonical_digest(config)) == (json.dumps(row["config"]), row["canonical_sha256"])


def said(message: str) -> str:
    """`message`, of a text that is no YAML or no JSON only so much: the rest of it is js-yaml's or V8's."""
    return message.partition(" blueprint: ")[0] if message.startswith("Failed to parse ") else message


# Before a run: the loader, and the rules of conversation


@needs_shared
@every("row", golden("run_config"), ids=source_of)
def test_a_run_is_refused_as_by_the_loader_in_its_words(row: dict[str, Any]) -> None:
    weval = parse(row["content"], Path(row["source"])).weval
    refusal = weval.error or weval.run_error
    assert (refusal and refusal.message) == row["error"]


_TEXTS = {("parse_cases", row["name"]): (row["content"], path_of(row)) for row in CASES}
_NOT_A_FILE = "hand/prompts not a list"


def text_of(row: dict[str, Any]) -> tuple[str, Path] | None:
    """The blueprint a row speaks of; None for the application's examples, which are not in the corpus."""
    if row["prompts_from"] == "inline":
        return json.dumps({"prompts": row["prompts"]}), Path("blueprint.json")
    path = corpus_path(row["source"])
    if row["prompts_from"] == "parse_corpus" and path.is_file():
        return path.read_bytes().decode("utf-8"), path
    return _TEXTS.get((row["prompts_from"], row["source"]))


RUNS = [row for row in golden("validate_prompts") if row["source"] != _NOT_A_FILE and text_of(row) is not None]


@needs_shared
@needs_corpus
@every("row", RUNS, ids=source_of)
def test_the_rules_of_conversation_refuse_what_the_platform_refuses_to_run(row: dict[str, Any]) -> None:
    blueprint = text_of(row)
    assert blueprint is not None
    assert (parse(*blueprint).weval.run_error is None) is (row["error"] is None)


EXAMPLES_THAT_WORK_HERE = {
    24: "three levels",
    65: "three levels",
    49: "ends with the assistant",
    62: "twice the assistant",
}
"""golden/README.md: the documents show these, Weval refuses them, and we read them, flagged."""


@needs_shared
@every("row", [row for row in EXAMPLES if row["id"] in EXAMPLES_THAT_WORK_HERE], ids=example_of)
def test_what_the_documents_show_and_weval_refuses_is_flagged(row: dict[str, Any]) -> None:
    refusals = [finding for finding in parse(row["content"], path_of(row)).findings if finding.refused]
    assert refusals
    assert all(finding.flagged for finding in refusals)
