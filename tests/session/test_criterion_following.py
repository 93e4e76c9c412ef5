"""Which criterion is the same one after an edit, and verdicts of judges that were asked in different ways."""

from __future__ import annotations

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


async def test_a_criterion_that_is_deleted_is_not_its_namesake_of_another_prompt(
    opened: Opener, server: ModelServer
) -> None:
    other = RUBRIC.replace("id: rent", "id: other")
    face = await opened(text=f"{blueprint(server)}{other}")
    await run_first(face, "Names the lease")
    await face.rewrite(face.text.replace(LEASE, "", 1))
    assert view(face).state == NOT_THERE


async def test_an_empty_criterion_is_sent_to_nobody(opened: Opener, server: ModelServer) -> None:
    face = await opened()
    await run(face, "Names the lease")
    sent = len(server.bodies)
    shown = await reworded(face, "Names the lease", "''")
    assert (shown.state, len(server.bodies), face.author.messages) == ("It has no words yet.", sent, [NO_WORDS])
    assert await face.runs.criterion.open(None, face.text.index("''")) is False


# --- Verdicts of judges that were asked in different ways: shown, and never compared
