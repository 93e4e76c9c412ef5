"""A check by a service in the criterion loop: asked under consent, open with the reason without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request

from studio.session.host import ServiceAnswer, ServiceQuestion
from studio.session.views.criterion_view import CriterionView
from tests.engine.provider_server import answers, said
from tests.session.criterion_faces import view
from tests.session.faces import Face, open_face
from tests.studio.text_files import text_file

BLUEPRINT = text_file("criterion-services.yml")
CHECK = "$call"


@pytest.fixture
def server() -> Iterator[HTTPServer]:
    with HTTPServer(threaded=True) as server:
        yield server


@pytest.fixture
def asked(server: HTTPServer) -> list[Request]:
    return answers(server, said({"score": 0.5, "explain": "Half of it is so."}))


@pytest.fixture
def opened(tmp_path: Path, server: HTTPServer) -> Callable[..., Any]:
    return partial(open_face, tmp_path, text=BLUEPRINT.format(host=f"127.0.0.1:{server.port}"))


async def run(face: Face) -> CriterionView:
    await face.open_criterion(CHECK)
    await face.again()
    return view(face)


async def test_a_check_by_a_service_is_asked_once_the_author_agrees(opened: Any, asked: list[Request]) -> None:
    face = await opened(ServiceAnswer.ALWAYS, ServiceAnswer.ALWAYS)
    shown = await run(face)
    assert isinstance(face.author.asked[0], ServiceQuestion)
    assert [row.now for row in shown.rows] == [(0.5,)]
    assert len(asked) == 1


async def test_without_consent_it_says_why_it_is_open_and_what_to_do(opened: Any, asked: list[Request]) -> None:
    face = await opened(None)
    shown = await run(face)
    assert [row.now for row in shown.rows] == [(None,)]
    assert shown.state == "checked on 1 answer · 1 is open: F5 asks the service, once you agree"
    assert shown.selected is not None
    assert "not called again: no reply of" in shown.selected.lines[0].reflection
    assert not asked


async def test_a_reply_of_today_is_not_asked_for_again(opened: Any, asked: list[Request]) -> None:
    face = await opened(ServiceAnswer.ALWAYS, ServiceAnswer.ALWAYS)
    await run(face)
    await face.again()
    assert len(asked) == 1


async def test_a_local_check_asks_nobody(opened: Any, asked: list[Request]) -> None:
    face = await opened()
    await face.open_criterion("$contains")
    await face.again()
    assert not face.author.asked
    assert not asked
