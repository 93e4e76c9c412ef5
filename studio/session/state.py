"""The state of one open file: frozen records, of which a session holds the newest.

Nothing is stored in two places: what follows from the state is a property here, or a selector. States are compared by
identity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.text.record import Record

if TYPE_CHECKING:
    from engine.blueprint import Prompt
    from engine.files.open_files import ChangedOnDisk, OpenedFile
    from engine.judging.panel import JudgesAs, OneJudge
    from engine.store import PastRun, PromptPlace
    from engine.text.spans import Span, TextEdit
    from studio.session.analysis import Analysis
    from studio.session.blind_grading import Sitting
    from studio.session.evaluator import Progress
    from studio.session.followed_criterion import FollowedCriterion
    from studio.session.repeats import Batch
    from studio.session.run import Run
    from studio.session.run_configuration import AnswerChoice
    from studio.session.views.case_view import CasesView
    from studio.session.what_if import Tried

EMPTY: Mapping[Any, Any] = MappingProxyType({})
Slot: TypeAlias = tuple[str, str]
"""Where a run stands: its prompt (`PromptPlace.prompt`), and the key of its candidate."""


class Snapshot(Record):
    """One state of the text, as reported by the editor, which owns the text.

    `revision` increases with every edit, undo and redo. `content` returns to its earlier number when an edit is undone:
    a text that is undone to the one on disk counts as saved.
    """

    revision: int
    content: int
    text: str


class LoadedText(Record):
    """A text for the editor to show instead of its own. `number` identifies it.

    `file` is the file on disk that has this text; None if it is not saved. With `revision` it is for the text at that
    revision alone, which `edits` turn into it.
    """

    number: int
    text: str
    file: OpenedFile | None = None
    revision: int | None = None
    edits: Sequence[TextEdit] = ()


class FileState(Record, eq=False):
    """The open file. `opened` is what is on disk as far as is known, `loaded` the newest text for the editor.

    `shown` is the number of the text that the editor took, at `loaded_revision`; `saved_content` is the content that is
    on disk, None for none. `told` is the other text on disk that the author knows of, `agreed` the one that may be
    replaced without asking. `given_up` is the revision whose changes the author gave up. `held_elsewhere` says that
    another studio has the file.
    """

    opened: OpenedFile
    loaded: LoadedText
    loaded_revision: int
    saved_content: int | None
    shown: int = 0
    told: ChangedOnDisk | None = None
    agreed: ChangedOnDisk | None = None
    given_up: int | None = None
    held_elsewhere: str | None = None


class Choice(Record, eq=False):
    """What is run. `answers` says where answers come from, None until the author chooses; `shown` counts candidates.

    `judges_as` says which judges grade points in words; None for the author alone.
    """

    answers: AnswerChoice | None = None
    judges_as: JudgesAs | OneJudge | None = None
    shown: int = 0


class Where(Record):
    """Where the keys are. `keys` are the actions that work there, by their ids, with their keys as printed.

    `in_criteria`: the criteria have the keys. `sees_answer`, `sees_answers`: the answer, or all answers, are seen.
    """

    keys: Mapping[str, str] = EMPTY
    in_criteria: bool = False
    sees_answer: bool = False
    sees_answers: bool = False


class LastRuns(Record, eq=False):
    """The newest scored run of each slot in earlier sessions, and the last one that gave no answer to score."""

    scored: Mapping[Slot, PastRun] = EMPTY
    failed: Mapping[Slot, PastRun] = EMPTY
    is_read: bool = False


class State(Record, eq=False):
    """All that a session knows of one open file.

    `collections` are the model collections that can be named. `runs` are the newest of each prompt and candidate, in
    the order in which these were first run; `opened` are earlier ones on show, by `PromptPlace.prompt`; `arriving` are
    the turns of answers that come in. `row` is the selected row of the result: a point by its place in
    `Prompt.points()`, or the evidence of another row. `progress` is that of the runs that go on, None for none.

    `written` are the author's own answers and `wanted` the scores (0–1) that they expected, both by
    `PromptPlace.prompt`; `times_loaded` counts how often answers were restored. `drafts` are edits of answers that are
    not accepted yet. `read` are the digests of the answers that were on the screen, by `PromptPlace.prompt`. `cases`
    says how the cases stand.

    `followed` are the criteria that were run by themselves, the newest last, of one of which `answer_selected` is the
    selected answer; the `marked` ones, at most two, are read beside each other. `repeated` are the repeats on show,
    `repeats` the last ones of each prompt, and of all (None). `tried` are changes that the author tries, `sitting` is
    the last one of blind grading.
    `found` is what was worked out beside: by name and key, what it is of, and what was found.
    """

    file: FileState
    text: Snapshot
    cases: CasesView
    cursor: int = 0
    where: Where = Where()
    analysis: Analysis | None = None
    collections: tuple[str, ...] = ()
    choice: Choice = Choice()
    runs: Mapping[Slot, Run] = EMPTY
    opened: Mapping[str, Run] = EMPTY
    arriving: Mapping[Slot, tuple[str, ...]] = EMPTY
    row: tuple[int | None, tuple[Span, ...]] = (None, ())
    progress: Progress | None = None
    written: Mapping[str, str] = EMPTY
    times_loaded: int = 0
    drafts: Mapping[str, str] = EMPTY
    wanted: Mapping[str, float] = EMPTY
    read: Mapping[str, frozenset[str]] = EMPTY
    last: LastRuns = LastRuns()
    followed: tuple[FollowedCriterion, ...] = ()
    answer_selected: str = ""
    repeated: Batch | None = None
    repeats: Mapping[str | None, Batch] = EMPTY
    tried: Tried | None = None
    sitting: Sitting | None = None
    marked: tuple[str, ...] = ()
    found: Mapping[tuple[str, object], tuple[object, Any]] = EMPTY

    # --- The file and its text

    @property
    def path(self) -> Path:
        """The path of the file, which may not exist yet."""
        return self.file.opened.path

    @property
    def is_read_only(self) -> bool:
        """Whether the text cannot be saved to its file, and must not be changed."""
        return self.file.opened.read_only is not None

    @property
    def is_edited(self) -> bool:
        """Whether the text was changed here since it was loaded or saved."""
        return self.text.content != self.file.saved_content

    @property
    def unsaved(self) -> bool:
        """Whether the text is not on disk: it was changed here, or the file was by another program."""
        return self.is_edited or self.file.told is not None

    @property
    def is_current(self) -> bool:
        """Whether the analysis is of the newest text, with its diagnostics."""
        found = self.analysis
        return found is not None and found.diagnostics is not None and found.revision == self.text.revision

    @property
    def prompt(self) -> Prompt | None:
        """The prompt that is shown: the one under the cursor in the newest analysis; None in the header."""
        return None if self.analysis is None else self.analysis.prompt_at(self.cursor)

    @property
    def place(self) -> PromptPlace | None:
        """Where what belongs to the prompt that is shown is saved."""
        analysis, prompt = self.analysis, self.prompt
        return None if analysis is None or prompt is None else analysis.place(prompt)
