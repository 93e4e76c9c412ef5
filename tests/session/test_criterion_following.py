"""Which criterion is the same one after an edit, and verdicts of judges that were asked in different ways."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

from engine.files.own_files import data_dir
from engine.judging.panel import JudgesAs
from engine.scoring.assessment import Grade
from engine.study.wordings import Flip
from studio.session.criterion_loop import NO_WORDS
from tests.session.criterion_faces import REWORDED, RUBRIC, Opener, blueprint, reworded, run, view
from tests.session.faces import Face
from tests.studio.model_server import ModelServer

LEASE = "    - Names the lease\n"
NOT_THERE = "It is not in the text at present."


async def edited(face: Face, old: str, new: str) -> None:
    await face.change(old, new)


async def run_first(face: Face, criterion: str) -> None:
    """Run the first of the points with this text."""
    await face.open_criterion(criterion)
    await face.again()


async def test_a_grade_after_the_prompt_was_renamed_counts_in_its_result(opened: Opener) -> None:
    face = await opened(judges=False)
    await run(face, "Names the lease")
    await edited(face, "id: rent", "id: rental")
    await face.runs.criterion.grade(view(face).rows[0].key, Grade.PARTIALLY_PRESENT)
    await face.f5()
    shown = face.run
    assert [each.extent for each in shown.assessments] == [1.0, 0.5, None, None]


async def test_after_its_prompt_was_renamed_a_criterion_has_its_wordings_when_it_is_opened_again(
    opened: Opener,
) -> None:
    first = await opened()
    await run(first, "Names the lease")
    await edited(first, "id: rent", "id: rental")
    await reworded(first, "Names the lease", REWORDED)
    await first.close()
    again = await opened(text=first.text)
    assert (await run(again, REWORDED)).wording == "2nd wording"


async def test_of_two_points_with_the_same_text_the_first_has_the_older_wordings(opened: Opener) -> None:
    first = await opened()
    await run(first, "Names the lease")
    await reworded(first, "Names the lease", REWORDED)
    await edited(first, f"    - {REWORDED}\n", f"    - {REWORDED}\n    - {REWORDED}\n")
    offset = first.text.rindex(REWORDED)
    first.session.move(offset)
    await first.runs.criterion.open(None, offset)
    await first.again()
    assert view(first).wording == "1st wording"
    await first.close()
    again = await opened(text=first.text)
    await run_first(again, REWORDED)
    assert view(again).wording == "2nd wording"


async def test_a_criterion_in_the_other_block_is_another_one(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await edited(face, LEASE, "")
    await edited(face, "  should_not:\n", f"  should_not:\n{LEASE}")
    assert view(face).state == NOT_THERE
    shown = await run(face, "Names the lease")
    assert (shown.is_inverted, shown.rows[0].now) == (True, (0.0, 0.0))


async def test_a_block_that_becomes_the_other_one_takes_no_criterion_along(opened: Opener, server: ModelServer) -> None:
    text = blueprint(server).replace("  should_not:\n    - Names the king\n", "")
    face = await opened(text=text)
    await run(face, "Names the lease")
    await edited(face, "  should:", "  should_not:")
    assert view(face).state == NOT_THERE


async def test_a_criterion_that_is_deleted_is_not_its_namesake_of_another_prompt(
    opened: Opener, server: ModelServer
) -> None:
    other = RUBRIC.replace("id: rent", "id: other")
    face = await opened(text=f"{blueprint(server)}{other}")
    await run_first(face, "Names the lease")
    await face.rewrite(face.text.replace(LEASE, "", 1))
    assert view(face).state == NOT_THERE


async def test_what_is_not_in_the_text_is_not_carried_over(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    await edited(face, LEASE, "")
    assert [row.is_carried for row in view(face).rows] == [False] * 3


async def test_a_criterion_that_is_retyped_letter_by_letter_is_followed(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    for old, new in (("Names the lease", ""), ("    - \n", "    - N\n"), ("- N\n", "- Names the lease\n")):
        await edited(face, old, new)
    assert (view(face).wording, view(face).rows[0].now) == ("1st wording", (1.0, 1.0))


async def test_an_empty_criterion_is_sent_to_nobody(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    await run(face, "Names the lease")
    sent = len(server.bodies)
    shown = await reworded(face, "Names the lease", "''")
    assert (shown.state, len(server.bodies), face.author.messages) == ("It has no words yet.", sent, [NO_WORDS])
    assert await face.runs.criterion.open(None, face.text.index("''")) is False


# --- Verdicts of judges that were asked in different ways: shown, and never compared


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


async def test_the_wordings_to_go_back_to_say_which_were_judged_by_another_scale(opened: Opener) -> None:
    face = await opened()
    await run(face, "Names the lease")
    face.judged(JudgesAs.WEVAL_TODAY)
    await reworded(face, "Names the lease", REWORDED)
    await face.runs.criterion.take_back()
    question: Any = face.author.asked[-1]
    assert question.choices[0].detail == "fails 2 of 3 answers, on another scale"
