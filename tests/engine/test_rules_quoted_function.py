"""`quoted-function` names what is wrong on the line: the quotation marks, a missing space or another form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.parsing import parse
from tests.engine.rule_reports import only, reported, should

ADVICE = {
    "\"$icontains: 'glory'\"": "remove the quotes around it",
    "'$icontains: glory'": "remove the quotes around it",
    "$icontains:glory": "put a space after the colon",
    '$icontains:"glory"': "put a space after the colon",
    '"$icontains:glory"': "write `$icontains: …`",
    "$icontains glory": "write `$icontains: …`",
    "$icontains： glory": "write `$icontains: …`",
    "$Icontains:glory": "write `$icontains: …`",
    r'"$icontains: \"glory\""': "write `$icontains: …`",
    "'$icontains: ''glory'''": "write `$icontains: …`",
}


@pytest.mark.parametrize(("item", "advice"), ADVICE.items())
def test_the_message_says_what_is_wrong_on_the_line(item: str, advice: str) -> None:
    assert only(should(item), "quoted-function").message == f"{item} is one unknown name: {advice}"


def test_a_missing_space_in_a_path_is_named() -> None:
    found = only(should("- $icontains:glory\n    - - $icontains: 'fame'"), "quoted-function")
    assert found.message.endswith("a text for a judge, not a check: put a space after the colon")


def test_the_advice_in_json_is_an_object() -> None:
    text = json.dumps([{"prompt": "Which?", "should": ["$icontains: glory"]}])
    [found] = reported(parse(text, Path("x.json")), "quoted-function")
    assert found.message.endswith('write `{"$icontains": …}`')
