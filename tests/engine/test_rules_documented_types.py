"""Every documented field of the header with a value of another type than the documents give, and with the right one."""

from __future__ import annotations

from engine.parsing import parse
from engine.rules import check
from engine.text.diagnostics import Severity
from tests.many_cases import every

PROMPT = "---\n- id: p\n  prompt: q\n  should:\n    - Names a court\n"
MODEL = "models:\n  - {{id: 'local:x', modelName: m, inherit: openai, {}}}\n"
URL = "url: 'http://localhost:1/v1'"
COVERAGE = "evaluationConfig:\n  llm-coverage: {}\n"
RIGHT = [
    *(f"title: {value}\n" for value in ("'2024'", "A 1", "")),
    *(f"description: {value}\n" for value in ("'5'", "|\n  Several\n  lines", "")),
    *(f"tags: {value}\n" for value in ("[]", "[law, housing]", "\n  - law")),
    *(f"evaluationConfig: {value}\n" for value in ("{}", "{llm-coverage: {}}", "")),
    *(COVERAGE.format(f"{{useExperimentalScale: {value}}}") for value in ("true", "false", "True")),
    *(f"toolUse: {{enabled: {value}}}\n" for value in ("true", "false")),
    *(f"noCache: {value}\n" for value in ("true", "false", "False", "FALSE")),
    MODEL.format(URL),
    MODEL.format("url: '${BASE_URL}/v1'"),
    *(MODEL.format(f"{URL}, format: {value}") for value in ("chat", "'completions'")),
    *(MODEL.format(f"{URL}, promptFormat: {value}") for value in ("raw", "conversational")),
]


def with_title(header: str) -> str:
    return header if header.startswith("title") else f"title: T\n{header}"


def reported(header: str) -> set[tuple[str, bool]]:
    """The rules that report an error or a flagged problem within the header."""
    text = with_title(header) + PROMPT
    return {
        (one.slug, one.flagged)
        for one in check(parse(text))
        if one.span.start < text.index(PROMPT) and (one.severity is Severity.ERROR or one.flagged)
    }


@every("header", RIGHT)
def test_a_value_of_the_documented_type_is_silent(header: str) -> None:
    assert reported(header) == set()
