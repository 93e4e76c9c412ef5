"""The panel: the documented default judges or those of the blueprint, and the backup judge (002, A30)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum, auto

from engine.blueprint import Header, Judge
from engine.judging.scale import JudgesAs, Scale, scale_in_force
from engine.providers.provider_registry import EMBEDDED
from engine.text import visible
from engine.yaml_nodes.nodes import Data


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
    """One judge: its id in results, its model as `provider:model`, and its approach."""

    id: str
    model: str
    approach: Approach

    @property
    def label(self) -> str:
        """The `judgeModelId` of result JSON: `holistic-openai-gpt-oss-120b(openrouter:openai/gpt-oss-120b)`."""
        return f"{self.id}({self.model})"

    @property
    def written(self) -> Judge:
        """The judge as a blueprint writes it."""
        return Judge(self.model, self.approach.value, self.id)


@dataclass(frozen=True, slots=True)
class Panel:
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


def panel(header: Header, judges_as: JudgesAs = JudgesAs.DOCUMENTED) -> Panel:
    """The judges of a blueprint.

    They are the `judges` of `evaluationConfig.llm-coverage` where any are written; else the deprecated `judgeModels`;
    else the defaults of `judges_as`. `judgeMode` is not read: every judge is asked, and their mean counts (002). Where
    none of the written judges can be used, the panel is empty: their texts are not sent to other judges.
    """
    scale = scale_in_force(header, judges_as)
    as_weval = judges_as is JudgesAs.WEVAL_TODAY
    written = _coverage(header)
    for judges, left_out in (_written_judges(header, written.get("judges")), _legacy(written.get("judgeModels"))):
        if judges or left_out:
            other_scale = as_weval and scale is not scale_in_force(header)
            return Panel(judges, scale, custom=True, left_out=left_out, as_weval=other_scale)
    match judges_as:
        case JudgesAs.DOCUMENTED:
            return Panel(DOCUMENTED_JUDGES, scale, DOCUMENTED_BACKUP, BackupWhen.ALL_FAILED)
        case JudgesAs.WEVAL_TODAY:
            return Panel(JUDGES_OF_TODAY, scale, BACKUP_OF_TODAY, BackupWhen.ANY_FAILED, as_weval=True)


def _written_judges(header: Header, written: Data) -> tuple[tuple[PanelJudge, ...], tuple[str, ...]]:
    judges: list[PanelJudge] = []
    left_out: list[str] = []
    for judge in header.judges:
        approach = next((each for each in Approach if each == judge.approach), None)
        if not judge.model.strip():
            continue
        if _is_embedded(judge.model):
            left_out.append(_too_weak(judge.model))
        elif approach is None:
            what = f"the approach `{visible(judge.approach)}`" if judge.approach else "no approach"
            left_out.append(f"{visible(judge.model)} has {what}; write one of {_APPROACHES}")
        else:
            judges.append(PanelJudge(judge.id or approach.value, judge.model, approach))
    nameless = (len(written) if isinstance(written, list) else 0) - len(judges) - len(left_out)
    return tuple(judges), (*left_out, *_nameless("judges", nameless))


def _legacy(written: Data) -> tuple[tuple[PanelJudge, ...], tuple[str, ...]]:
    named = list(_named(written))
    judges = [PanelJudge(_LEGACY_APPROACH.value, model, _LEGACY_APPROACH) for model in named if not _is_embedded(model)]
    weak = map(_too_weak, filter(_is_embedded, named))
    nameless = (len(written) if isinstance(written, list) else 0) - len(named)
    return tuple(judges), (*weak, *_nameless("judgeModels", nameless))


def _is_embedded(model: str) -> bool:
    return model.partition(":")[0] == EMBEDDED


def _too_weak(model: str) -> str:
    return f"{visible(model)} is too weak to judge: name another model"


def _named(written: Data) -> Iterator[str]:
    for model in written if isinstance(written, list) else ():
        if isinstance(model, str) and model.strip():
            yield model


def _nameless(key: str, count: int) -> Iterator[str]:
    if count > 0:
        entries = "an entry" if count == 1 else f"{count} entries"
        yield f"{entries} of `{key}` without a model"


def _coverage(header: Header) -> dict[str, Data]:
    """The mapping under `evaluationConfig.llm-coverage`, empty where there is none."""
    evaluation = header.fields.get("evaluationConfig")
    coverage = evaluation.get("llm-coverage") if isinstance(evaluation, dict) else None
    return coverage if isinstance(coverage, dict) else {}
