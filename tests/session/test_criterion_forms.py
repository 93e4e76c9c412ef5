"""Verdicts of judges that were asked in different ways: shown, and never compared."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from engine.files.own_files import data_dir
from engine.judging.panel import JudgesAs
from engine.study.wordings import Flip
from tests.session.criterion_faces import REWORDED, Opener, reworded, run, view
from tests.studio.model_server import ModelServer


async def test_by_another_scale_no_verdict_flips(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    face.judged(JudgesAs.WEVAL_TODAY)
    shown = await reworded(face, "Names the lease", REWORDED)
    assert [(row.now, row.before, row.flip) for row in shown.rows] == [
        ((1.0, 1.0), (1.0, 1.0), None),
        ((0.0, 0.0), (0.0, 0.0), None),
        ((1.0, 1.0), (0.0, 0.0), None),
    ]
    assert shown.selected is not None
    assert shown.selected.note == "Before, a judge was asked otherwise, or it is not known how: no flip is counted."


async def test_back_at_the_same_scale_the_verdicts_flip_again(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await reworded(face, "Names the lease", REWORDED)
    face.judged(JudgesAs.WEVAL_TODAY)
    await face.again()
    assert [row.flip for row in view(face).rows] == [None] * 3
    sent = len(server.bodies)
    face.judged()
    assert [row.flip for row in view(face).rows] == [Flip.UP, None, None]
    assert len(server.bodies) == sent


async def test_verdicts_by_another_scale_than_today_are_marked(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    face.judged(JudgesAs.WEVAL_TODAY)
    shown = view(face)
    assert [row.is_carried for row in shown.rows] == [True] * 3
    assert shown.selected is not None
    assert shown.selected.note == (
        "A judge would be asked otherwise today (scale, prompt, approach or model): F5 asks again."
    )


async def test_where_the_author_judges_alone_no_scale_is_in_force(opened: Opener) -> None:
    face = await opened()
    face.judged(JudgesAs.WEVAL_TODAY)
    await run(face, "Names the lease")
    face.judged(None)
    assert [row.is_carried for row in view(face).rows] == [False] * 3


async def test_a_judge_with_another_approach_flips_nothing(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await face.rewrite(face.text.replace("approach: standard", "approach: prompt-aware"))
    shown = await reworded(face, "Names the lease", REWORDED)
    assert [row.flip for row in shown.rows] == [None] * 3


async def test_verdicts_of_an_earlier_version_are_shown_and_flip_nothing(opened: Opener) -> None:
    first = await opened()
    await run(first, "Names the lease")
    await first.close()
    with closing(sqlite3.connect(data_dir() / "studio.sqlite3")) as connection, connection:
        connection.execute("UPDATE wording_verdict SET scale = '', form = ''")
    again = await opened(judges=False)
    await run(again, "Names the lease")
    again.judged()
    shown = await reworded(again, "Names the lease", REWORDED)
    assert [(row.before, row.flip) for row in shown.rows] == [((1.0, 1.0), None), *[((0.0, 0.0), None)] * 2]


async def test_a_verdict_of_an_earlier_version_is_known_once_it_is_run_again(
    opened: Opener, server: ModelServer
) -> None:
    first = await opened()
    await run(first, "Names the lease")
    await first.close()
    with closing(sqlite3.connect(data_dir() / "studio.sqlite3")) as connection, connection:
        connection.execute("UPDATE wording_verdict SET scale = '', form = ''")
    sent = len(server.bodies)
    again = await opened()
    await run(again, "Names the lease")
    assert len(server.bodies) == sent
    shown = await reworded(again, "Names the lease", REWORDED)
    assert [row.flip for row in shown.rows] == [Flip.UP, None, None]
