"""The panel: the documented default judges or those of the blueprint, the backup judge, and their scale (002, A30).

The documented scale has five steps, the experimental one ten (002 calls it the 9-point scale and lists ten extents). A
judge is shown only the scale in force, but its reply may use the class names of any scale, since models remember them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum, auto
from pathlib import Path

import msgspec

from engine.blueprint import Header, Judge
from engine.models.provider_registry import EMBEDDED
from engine.text import Record, visible
from engine.yaml.nodes import Data


class JudgesAs(StrEnum):
    """The author's choice of judges, scale and backup: those of the documents, or those of Weval today."""

    DOCUMENTED = "documented"
    WEVAL_TODAY = "weval-today"


class OneJudge(Record):
    """The author's choice of one model to judge alone: its id, or its name at the server with this `base_url`."""

    model: str
    base_url: str | None = None

    @property
    def name(self) -> str:
        """The model without its provider."""
        return self.model if self.base_url else self.model.partition(":")[2] or self.model


@dataclass(frozen=True, slots=True)
class Step:
    """One class: its name, its extent (0–1, before inversion), and its meaning, as the judge prompt words it."""

    name: str
    extent: float
    meaning: str

    @property
    def label(self) -> str:
        """The class as an author reads it: `partially present`."""
        return self.name.removeprefix("CLASS_").replace("_", " ").lower()


class Example(Record):
    """An example verdict in the judge prompt. `name` is a class of the scale to which the example belongs."""

    criterion: str
    answer: str
    reflection: str
    name: str


class Scale(Record):
    """A scale: its steps, lowest first, and examples of its use."""

    name: str
    steps: tuple[Step, ...]
    examples: tuple[Example, ...] = ()

    def step(self, name: str) -> Step | None:
        """The class of this name, in any spelling, `class_absent`, `Absent`, `FULLY PRESENT`, or None."""
        wanted = _plain(name)
        return next((step for step in self.steps if _plain(step.name) == wanted), None)


def _scales() -> tuple[Scale, ...]:
    written = tomllib.loads(Path(__file__).with_name("scales.toml").read_text("utf-8"))
    return msgspec.convert(written["scales"], tuple[Scale, ...])


ALL_SCALES = FIVE_STEPS, FIVE_STEPS_MET, TEN_STEPS = _scales()
"""The documented scale, which authors also use for their grades; one of five that Weval's judges have been shown, whose
names are understood, though our judges never see it; and the experimental one (`useExperimentalScale`), which Weval
applies to everything today (platform.md, A30)."""


def scale_in_force(header: Header, judges_as: JudgesAs = JudgesAs.DOCUMENTED) -> Scale:
    """As documented: five steps unless `useExperimentalScale` is set. As on Weval today: always ten."""
    match judges_as:
        case JudgesAs.DOCUMENTED:
            return TEN_STEPS if header.use_experimental_scale else FIVE_STEPS
        case JudgesAs.WEVAL_TODAY:
            return TEN_STEPS


def find_step(name: str, scale: Scale, *, in_tag: bool = False) -> Step | None:
    """The class with this name, None where there is none.

    A class of the scale in force may have any spelling. A class of another scale needs its full name or two words of
    it; one word is enough only `in_tag`, and only if no class of the scale in force begins with it: "partial" may mean
    that class. `CLASS_UNMET` alone is in two scales, with 0 and 0.001: the scale in force wins, else the scale of five.
    """
    plain = _plain(name)
    is_clear = in_tag and plain and not any(_plain(step.name).startswith(plain) for step in scale.steps)
    others = ALL_SCALES if _FULL_NAME.match(name) or "_" in plain or is_clear else ()
    return next((step for each in (scale, *others) if (step := each.step(name)) is not None), None)


_FULL_NAME = re.compile(r"\W*CLASS[\W_]", re.I)


def _plain(name: str) -> str:
    return re.sub(r"[^A-Z]+", "_", name.upper()).strip("_").removeprefix("CLASS_")


class Approach(StrEnum):
    """How a judge reads the criterion, and which context it sees (`engine.judging.judge_prompt`)."""

    STANDARD = "standard"
    PROMPT_AWARE = "prompt-aware"
    HOLISTIC = "holistic"


class BackupWhen(StrEnum):
    """When the backup judge is asked about a point: as documented (`ALL_FAILED`), or as on Weval today."""

    ALL_FAILED = auto()
    ANY_FAILED = auto()


@dataclass(frozen=True, slots=True)
class PanelJudge:
    """One judge: its id in results, its model as `provider:model`, and its approach.

    With `base_url`, which only the author's own choice gives, `model` is a name at that server.
    """

    id: str
    model: str
    approach: Approach
    base_url: str | None = None

    @property
    def address(self) -> tuple[str, str | None]:
        """Its model and base URL, as `Resolve` takes them."""
        return self.model, self.base_url

    @property
    def label(self) -> str:
        """The `judgeModelId` of result JSON: `holistic-openai-gpt-oss-120b(openrouter:openai/gpt-oss-120b)`."""
        return f"{self.id}({self.model})"

    @property
    def written(self) -> Judge:
        """The judge as a blueprint writes it."""
        return Judge(self.model, self.approach.value, self.id)


class Panel(Record):
    """The judges of a run, their scale, and the backup judge for points without a verdict.

    `custom`: the blueprint names the judges; then there is no `backup` (002, "Backup Judge"). `left_out` has the
    reason for each written judge that cannot be used, in an author's words. Each judge is asked each question `rounds`
    times; the mean of all its verdicts counts. `as_weval`: it is another panel than the documented one.
    """

    judges: tuple[PanelJudge, ...]
    scale: Scale
    backup: PanelJudge | None = None
    backup_when: BackupWhen = BackupWhen.ALL_FAILED
    custom: bool = False
    left_out: tuple[str, ...] = ()
    rounds: int = 1
    as_weval: bool = False

    @property
    def every_judge(self) -> tuple[PanelJudge, ...]:
        """The judges, followed by the backup judge if there is one and the panel is not empty."""
        return self.judges if self.backup is None or not self.judges else (*self.judges, self.backup)

    def needs_backup(self, verdicts: int) -> bool:
        """Whether the backup is asked about a point with this number of verdicts from `judges` in one round."""
        match self.backup_when:
            case _ if self.backup is None:
                return False
            case BackupWhen.ALL_FAILED:
                return verdicts == 0
            case BackupWhen.ANY_FAILED:
                return verdicts < len(self.judges)


DOCUMENTED_JUDGES = (
    PanelJudge(
        "holistic-qwen3-30b-a3b-instruct-2507", "openrouter:qwen/qwen3-30b-a3b-instruct-2507", Approach.HOLISTIC
    ),
    PanelJudge("holistic-openai-gpt-oss-120b", "openrouter:openai/gpt-oss-120b", Approach.HOLISTIC),
)
DOCUMENTED_BACKUP = PanelJudge("backup-claude-3-5-haiku", "anthropic:claude-3.5-haiku", Approach.HOLISTIC)

JUDGES_OF_TODAY = (
    PanelJudge("holistic-gemini-2-5-flash", "openrouter:google/gemini-2.5-flash", Approach.HOLISTIC),
    PanelJudge("holistic-gpt-4-1-mini", "openrouter:openai/gpt-4.1-mini", Approach.HOLISTIC),
    PanelJudge("holistic-claude-haiku-4-5", "openrouter:anthropic/claude-haiku-4.5", Approach.HOLISTIC),
)
BACKUP_OF_TODAY = PanelJudge("backup-claude-4-5-haiku", "openrouter:anthropic/claude-haiku-4.5", Approach.HOLISTIC)

_APPROACHES = ", ".join(f"`{each}`" for each in Approach)
_LEGACY_APPROACH = Approach.PROMPT_AWARE
"""`judgeModels` names no approach; when it was written, a judge saw the prompt and one point (003, step 4)."""


def panel(header: Header, judges_as: JudgesAs | OneJudge = JudgesAs.DOCUMENTED) -> Panel:
    """The judges of a blueprint, or the one judge that the author chose.

    They are the `judges` of `evaluationConfig.llm-coverage` where any are written; else the deprecated `judgeModels`;
    else the defaults of `judges_as`. `judgeMode` is not read: every judge is asked, and their mean counts (002). Where
    none of the written judges can be used, the panel is empty: their texts are not sent to other judges.
    """
    if isinstance(judges_as, OneJudge):
        judge = PanelJudge(judges_as.name, judges_as.model, Approach.HOLISTIC, judges_as.base_url)
        return Panel((judge,), scale_in_force(header))
    scale = scale_in_force(header, judges_as)
    as_weval = judges_as is JudgesAs.WEVAL_TODAY
    written = _coverage(header)
    models = written.get("judgeModels")
    names = [each for each in models if isinstance(each, str)] if isinstance(models, list) else []
    legacy = [Judge(model, _LEGACY_APPROACH.value) for model in names]
    for key, named in (("judges", header.judges), ("judgeModels", legacy)):
        judges, left_out = _usable(key, named, written.get(key))
        if judges or left_out:
            other_scale = as_weval and scale is not scale_in_force(header)
            return Panel(judges, scale, custom=True, left_out=left_out, as_weval=other_scale)
    match judges_as:
        case JudgesAs.DOCUMENTED:
            return Panel(DOCUMENTED_JUDGES, scale, DOCUMENTED_BACKUP, BackupWhen.ALL_FAILED)
        case JudgesAs.WEVAL_TODAY:
            return Panel(JUDGES_OF_TODAY, scale, BACKUP_OF_TODAY, BackupWhen.ANY_FAILED, as_weval=True)


def _usable(key: str, named: Iterable[Judge], written: Data) -> tuple[tuple[PanelJudge, ...], tuple[str, ...]]:
    """The judges that can be used, and the reasons for the others, of those that are `written` below a key."""
    judges: list[PanelJudge] = []
    left_out: list[str] = []
    for judge in named:
        approach = next((each for each in Approach if each == judge.approach), None)
        if not judge.model.strip():
            continue
        if judge.model.partition(":")[0] == EMBEDDED:
            left_out.append(f"{visible(judge.model)} is too weak to judge: name another model")
        elif approach is None:
            what = f"the approach `{visible(judge.approach)}`" if judge.approach else "no approach"
            left_out.append(f"{visible(judge.model)} has {what}; write one of {_APPROACHES}")
        else:
            judges.append(PanelJudge(judge.id or approach.value, judge.model, approach))
    nameless = (len(written) if isinstance(written, list) else 0) - len(judges) - len(left_out)
    if nameless > 0:
        left_out.append(f"{'an entry' if nameless == 1 else f'{nameless} entries'} of `{key}` without a model")
    return tuple(judges), tuple(left_out)


def _coverage(header: Header) -> dict[str, Data]:
    """The mapping under `evaluationConfig.llm-coverage`, empty where there is none."""
    evaluation = header.fields.get("evaluationConfig")
    coverage = evaluation.get("llm-coverage") if isinstance(evaluation, dict) else None
    return coverage if isinstance(coverage, dict) else {}
