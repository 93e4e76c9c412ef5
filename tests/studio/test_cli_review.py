"""`studio review`: one page a blueprint, as text, Markdown and JSON; links only on wish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine.report.review_findings import LinkState, LinkVerdict, WebLink, check_links
from studio.cli import reviews
from tests.engine.test_report import acting
from tests.studio.command_line import studio
from tests.studio.text_files import text_file
from tests.world import CORPUS, needs_corpus

BLUEPRINT = text_file("cli-review.yml")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    models = tmp_path / "models"
    models.mkdir()
    (models / "CORE.json").write_text('["openai:gpt-4o-mini"]', "utf-8")
    path = tmp_path / "blueprints" / "users" / "ada" / "notice.yml"
    path.parent.mkdir(parents=True)
    path.write_text(BLUEPRINT, "utf-8")
    return path


def reviewed(*arguments: object) -> Any:
    done = studio("review", *arguments, "--format", "json")
    return done.exit_code, json.loads(done.stdout)


def test_hostile_text_is_shown_and_not_obeyed(file: Path) -> None:
    hostile = '"\\e[31m</b><script>![x](http://evil.example)\\u202e"'
    file.write_text(BLUEPRINT.replace("id: visit\n", f"id: {hostile}\n"), "utf-8")
    for form in ("text", "markdown"):
        done = studio("review", file, "--format", form)
        assert not {"\x1b", "\u202e"} & set(done.stdout)
    assert acting(studio("review", file, "--format", "markdown").stdout) == []


# --- Links


def states(server: HTTPServer, *paths: str) -> list[LinkState]:
    links = [WebLink(server.url_for(path), "here", ("header",)) for path in paths]
    found = check_links(links, private_too=True)
    return [found[link.url] for link in links]


def test_each_link_is_asked_once_without_content(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/there", method="HEAD").respond_with_data("")
    assert states(httpserver, "/there") == [LinkState(LinkVerdict.THERE, "there (200)")]
    ((request, _),) = httpserver.log
    assert (request.method, request.data, request.headers.get("Authorization")) == ("HEAD", b"", None)


def test_what_is_gone_is_told_from_what_cannot_be_known(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/gone").respond_with_data("", 404)
    httpserver.expect_request("/shy").respond_with_data("", 403)
    httpserver.expect_request("/old", method="HEAD").respond_with_data("", 405)
    httpserver.expect_request("/old", method="GET").respond_with_data("here")
    assert [state.verdict for state in states(httpserver, "/gone", "/shy", "/old")] == [
        LinkVerdict.GONE,
        LinkVerdict.UNKNOWN,
        LinkVerdict.THERE,
    ]


def test_a_redirect_to_another_host_is_named_and_not_followed(httpserver: HTTPServer) -> None:
    httpserver.expect_request("/moved").respond_with_data("", 301, headers={"Location": "https://other.example/x"})
    (state,) = states(httpserver, "/moved")
    assert state.verdict is LinkVerdict.UNKNOWN
    assert "https://other.example" in state.detail


def test_a_host_of_this_network_is_not_asked(httpserver: HTTPServer) -> None:
    url = httpserver.url_for("/private")
    state = check_links([WebLink(url, "here", ("header",))])[url]
    assert (state.verdict, httpserver.log) == (LinkVerdict.UNKNOWN, [])
    assert state.detail == "not asked: its host is on this machine or in its network"


def test_links_are_asked_only_on_wish_and_the_hosts_are_told_first(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def gone(links: list[WebLink]) -> dict[str, LinkState]:
        asked.extend(link.url for link in links)
        return {link.url: LinkState(LinkVerdict.GONE, "not there (404)") for link in links}

    monkeypatch.setattr(reviews, "check_links", gone)
    file.write_text(BLUEPRINT.replace("\"$icontains: '24 hours'\"", "$icontains: 24 hours"), "utf-8")
    assert studio("review", file).exit_code == 0
    assert asked == []
    done = studio("review", file, "--links")
    assert done.exit_code == 1
    assert "Asks 1 address at 1 host, without content or keys: law.example" in done.stderr
    assert "https://law.example/act · not there (404) · cited in header" in done.stdout
    assert asked == ["https://law.example/act"]


@needs_corpus
def test_a_published_blueprint_can_be_reviewed() -> None:
    path = CORPUS / "tool-use-confidence.yml"
    code, (page,) = reviewed(path, "--collections", CORPUS.parent / "models")
    assert (code, page["prompts"], page["pullRequest"]["location"]) == (0, 7, "passed-over")
    assert page["cost"]["answers"] == 7 * page["cost"]["models"]
    assert page["pullRequest"]["cost"]["models"] == 5
