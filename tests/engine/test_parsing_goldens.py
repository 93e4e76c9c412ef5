"""Parsing, held against what the platform answers: every row of the goldens, and every file of the corpus."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

from engine.parsing import parse, weval_config
from engine.text.spans import LineIndex, Position
from engine.yaml.nodes import Data, canonical_json
from tests.many_cases import every
from tests.world import CORPUS, golden, needs_corpus, needs_shared

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
