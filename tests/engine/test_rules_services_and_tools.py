"""Rules about services and tools."""

from __future__ import annotations

import pytest

from engine.text.diagnostics import Severity
from tests.engine.rule_reports import found, only, should, underlined

# services


def test_factcheck_is_told_once_a_file_and_only_where_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    text = should("$factcheck: dates", "$factcheck: names")
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert only(text, "factcheck-endpoint").message.startswith("2 checks of this file")
    monkeypatch.setenv("FACTCHECK_ENDPOINT_URL", "https://example.org")
    assert found(text, "factcheck-endpoint") == []


def test_a_missing_endpoint_is_a_hint_that_calls_nothing_in_the_file_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    one = only(should("$factcheck: dates"), "factcheck-endpoint")
    assert one.severity is Severity.HINT
    assert "where the file runs" in one.message
    assert one.why.startswith("The file is right if the variable is set there")


def test_the_opposite_of_factcheck_needs_the_same_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FACTCHECK_ENDPOINT_URL", raising=False)
    assert underlined(should("$not_factcheck: dates"), "factcheck-endpoint") == "$not_factcheck"
