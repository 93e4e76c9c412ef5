"""Where YAML 1.1 and js-yaml 4.1.0 part ways: js-yaml's reading counts."""

from __future__ import annotations

import pytest

from engine.yaml.nodes import Data, to_data
from engine.yaml.tree_loader import load

LONG = "k" * 1100


def documents(text: str) -> list[Data]:
    tree = load(text)
    assert tree.error is None
    return [None if document.root is None else to_data(document.root) for document in tree.documents]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("models: [openai:gpt-4o-mini]\n", {"models": ["openai:gpt-4o-mini"]}),
        ("x: {a:1}\n", {"x": {"a:1": None}}),
        ("x: {a: b?c}\n", {"x": {"a": "b?c"}}),
        ("x: [?a]\n", {"x": ["?a"]}),
        ("-\ta\n", ["a"]),
        (f"{LONG}: 1\n", {LONG: 1}),
        ('x: "\\ud83d"\n', {"x": "\ud83d"}),
        ('x: "\\ud83d\\ude00"\n', {"x": "😀"}),
        ("x: a\u2028b\n", {"x": "a\u2028b"}),
        ("x: a\u0085b\n", {"x": "a\u0085b"}),
        ('x: "a\u2029b"\n', {"x": "a\u2029b"}),
        ("x: |\n  a\u2028b\n", {"x": "a\u2028b\n"}),
        ("x: a\ufeffb\n", {"x": "a\ufeffb"}),
        ("x: 'a  \n  b'\n", {"x": "a   b"}),
        ("--- a: 1\n", {"a": 1}),
        ("a: 'b\nc'\n", {"a": "b c"}),
        ("x: |\n    a\n   \n    b\n", {"x": "a\n\nb\n"}),
        ("should:\n  - \n- id: b\n", {"should": [None, {"id": "b"}]}),
    ],
)
def test_what_js_yaml_takes_is_read_as_it_reads_it(text: str, value: Data) -> None:
    assert documents(text) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "x: |# c\n  a\n",
        "x:\n|\n a\n",
        "x: {a: b\nc}\n",
        "x: [-]\n",
        "x: a\x7fb\n",
        "a: 1\n...\nb: [\n",
        "? - [a]\n",
        "x: |\n      \n    a\n",
        "&a a: 1\n",
    ],
)
def test_what_js_yaml_refuses_is_refused_though_yaml_1_1_takes_it(text: str) -> None:
    assert load(text).error is not None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", []),
        ("\n", []),
        ("# only a comment\n", [None]),
        ("a: 1\n---\n", [{"a": 1}, None]),
        ("---\n---\n", [None, None]),
        ("a: 1\n...\n", [{"a": 1}]),
        ("a: |\n  x", [{"a": "x\n"}]),
        ("\ufeffa: 1", [{"a": 1}]),
    ],
)
def test_documents_are_counted_as_js_yaml_counts_them(text: str, value: list[Data]) -> None:
    assert documents(text) == value
