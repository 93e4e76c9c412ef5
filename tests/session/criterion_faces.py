"""Blueprints whose criteria are judged one at a time, by judges that look for words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine.judging.panel import JudgesAs
from studio.session.views.criterion_view import CriterionView
from tests.session.faces import Face, open_face
from tests.studio.model_server import ModelServer, is_for_a_judge, verdict
from tests.studio.text_files import text_file

RUBRIC = text_file("rent.yml")
CASES = text_file("rent.yml.cases")
REWORDED = "Names the lease or contract"


def says(body: dict[str, Any]) -> str:
    """A judge that finds a criterion met if the answer has one of its long words; and a model, which counts."""
    if not is_for_a_judge(body):
        return f"On the {len(body['messages'])}th, says the lease."
    asked = body["messages"][1]["content"]
    criterion = asked.rpartition("<criterion")[2].partition("\n")[2].partition("\n</")[0].lower()
    answer = asked.partition('graded="yes">')[2].partition("</turn")[0].lower()
    found = [
        word for word in criterion.split() if len(word) > 3 and word not in ("names", "friendly") and word in answer
    ]
    return verdict("CLASS_FULLY_PRESENT", f"It says “{found[0]}”.") if found else verdict("CLASS_ABSENT")


def held_after(server: ModelServer, replies: int) -> str:
    """Hold all replies but the first ones."""
    server.held_after = replies
    return ""


def blueprint(server: ModelServer, approach: str = "standard", rubric: str = RUBRIC) -> str:
    judges = ", ".join(f"{{model: 'own:{name}', approach: {approach}, id: {name}}}" for name in ("strict", "kind"))
    models = f"models: [{server.model('strict')}, {server.model('kind')}]"
    return f"{models}\nevaluationConfig: {{llm-coverage: {{judges: [{judges}]}}}}\n---\n{rubric}"


class Opener:
    """Opens a blueprint with two cases, and an author with these answers to questions."""

    def __init__(self, folder: Path, server: ModelServer) -> None:
        self.folder = folder
        self._server = server

    async def __call__(self, *answers: Any, text: str = "", judges: bool = True, cases: str = CASES) -> Face:
        """The face of the blueprint, once it is checked."""
        path = self.folder / "rent.yml"
        if cases:
            path.with_name("rent.yml.cases").write_text(cases, "utf-8")
        face = await open_face(path, *answers, text=text or blueprint(self._server))
        face.judged(JudgesAs.DOCUMENTED if judges else None)
        return face


async def run(face: Face, criterion: str) -> CriterionView:
    """The view after the point with this text was run."""
    await face.open_criterion(criterion)
    await face.again()
    return view(face)


async def reworded(face: Face, old: str, new: str) -> CriterionView:
    await face.change(old, new)
    await face.again()
    return view(face)


def view(face: Face) -> CriterionView:
    shown = face.runs.criterion.view()
    assert isinstance(shown, CriterionView)
    return shown
