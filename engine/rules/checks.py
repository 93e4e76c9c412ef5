"""The checks that a file contains, the answers on which rules try them, and what V8 has said of them.

A problem in a definition is reported once, at the definition, and not at each `$ref` to it. The outcomes of V8 are
cached in the process: the same task has the same outcome and runs once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TypeAlias, Unpack

from engine.blueprint import ABSENT, FunctionCall, Header, Message, Point, Prompt, Role, normal_function_name
from engine.blueprint.conversation import conversation, subject_text
from engine.functions import tasks as v8
from engine.functions.point_function import Subject
from engine.functions.v8 import CHECK_MILLISECONDS
from engine.parsing.fields import member
from engine.rules.rule import FileView, Further, PromptView, Report, Rule, rule_by
from engine.scoring.assessment import Assessment
from engine.text import Record, Span, TextEdit, lazy
from engine.text.record import field
from engine.text.spans import NOWHERE
from engine.text.text_limits import TRIED_CHARACTERS
from engine.yaml.layout import first_line
from engine.yaml.nodes import MappingNode, Node, Pair, ScalarNode, property_name, resolved, to_data
from engine.yaml.tree_loader import function_pair

ReportChecks: TypeAlias = Callable[[FileView, Sequence[Point], Prompt | None], Iterable[Report]]
"""Reports on checks, all from one prompt or all from the definitions, with the prompt; None for the definitions."""
ReportPart: TypeAlias = Callable[[FileView, Span], Iterable[Report]]
"""Reports on a part of the source: a prompt, or what is around and between prompts."""


def checks_in(view: PromptView) -> Iterator[Point]:
    """The checks that are written in this prompt, without references to definitions."""
    return (point for point in view.checks if not is_reference(view.file, point))


def is_reference(view: FileView, point: Point) -> bool:
    """Whether the point is a `$ref`, so that its content is written elsewhere."""
    start, end = point.subject_span.start, point.subject_span.end
    return end - start <= len("'$ref'") and view.text[start:end].strip("'\"") in ("$ref", "ref")


def definitions(view: FileView) -> tuple[Pair, ...]:
    """The definitions, each with its name as the key, in source order."""
    fields = view.blueprint.header.fields
    if "point_defs" not in fields and "defs" not in fields:
        return ()
    pair = view.header.pair("point_defs") or view.header.pair("defs")
    node = None if pair is None else resolved(pair.value)
    return node.pairs if isinstance(node, MappingNode) else ()


def defined_checks(view: FileView) -> tuple[Point, ...]:
    """The checks among the definitions."""
    return tuple(point for each in definitions(view) if (point := _defined(each.value)) is not None)


def _defined(value: Node) -> Point | None:
    """The check that a definition is: a script, `$name: argument`, or `fn` with its argument; None if it is none."""
    if isinstance(value, ScalarNode) and isinstance(value.value, str):
        return Point(value.span, value.span, function=FunctionCall("js", value.value), node=value)
    pair = function_pair(value) if isinstance(value, MappingNode) else None
    if pair is None:
        return None
    naming, name = pair.key, property_name(pair.key)
    if not name.startswith("$"):
        naming = member(value, "fn")
        if not isinstance(naming, ScalarNode):
            return None
        name = f"${naming.text}"
    call = FunctionCall(normal_function_name(name[1:]), to_data(pair.value))
    is_reference = call.name == "ref" and naming is pair.key
    return None if is_reference else Point(value.span, naming.span, function=call, node=value)


def check_rule(**further: Unpack[Further]) -> Callable[[ReportChecks], Rule]:
    """The rule that a function on checks makes, named as its slug: for each prompt, and for the definitions."""
    return rule_by(_of_checks, further)


def _of_checks(check: ReportChecks) -> Further:
    def on_prompt(view: PromptView) -> Iterable[Report]:
        return check(view.file, tuple(checks_in(view)), view.prompt) if view.checks else ()

    def on_file(view: FileView) -> Iterable[Report]:
        defined = defined_checks(view)
        return check(view, defined, None) if defined else ()

    return Further(on_prompt=on_prompt, on_file=on_file)


def part_rule() -> Callable[[ReportPart], Rule]:
    """The rule that a function on signs in the source makes: for each prompt, and for what is around and between."""
    return rule_by(_of_parts, Further())


def _of_parts(check: ReportPart) -> Further:
    def on_file(view: FileView) -> Iterable[Report]:
        return chain.from_iterable(check(view, part) for part in view.outside_prompts())

    return Further(on_prompt=lambda view: check(view.file, view.prompt.span), on_file=on_file)


def is_negated(point: Point) -> bool:
    """Whether the point is a `$not_` check."""
    return point.call.name.startswith("not_")


def forbidden_places(prompt: Prompt) -> frozenset[Span]:
    """The spans of the points of `should_not`."""
    return frozenset() if prompt.should_not is None else frozenset(point.span for point in prompt.should_not.points())


def argument_span(view: FileView, point: Point) -> Span:
    """The first line of the point's argument; the function's name if it has none here."""
    node = None if point.call.args is ABSENT else point.argument
    return (
        first_line(view.text, node.span) if node is not None and node.span.start < node.span.end else point.subject_span
    )


def text_place(view: FileView, point: Point, text: str) -> Span:
    """The first line of `text` in the point's argument; the function's name if it is written elsewhere."""
    node = point.argument_node(text)
    return point.subject_span if node is None else first_line(view.text, node.span)


def renamed(view: FileView, point: Point, name: str | None) -> tuple[TextEdit, ...]:
    """The edit that calls the function `name`; none without one, or if the source has no plain name there."""
    start, written = point.subject_span.start, point.subject_span.of(view.text)
    inside = written.strip("'\"")
    if name is None or not inside.lstrip("$").isidentifier():
        return ()
    at = start + written.index(inside)
    return (TextEdit(Span(at + inside.startswith("$"), at + len(inside)), name),)


# The texts of a prompt


def written_messages(prompt: Prompt) -> str:
    """All messages as one text, a line break between two; turns that are generated are empty."""
    return "\n".join(message.content or "" for message in prompt.messages)


def sent_text(prompt: Prompt) -> str:
    """The prompt's own system prompt and its messages as one text."""
    system = prompt.system if isinstance(prompt.system, str) else ""
    return f"{system}\n{written_messages(prompt)}"


def known_text(prompt: Prompt) -> str:
    """The ideal and the messages as one text: what a check or a criterion may quote."""
    return f"{prompt.ideal or ''}\n{written_messages(prompt)}"


def question_of(prompt: Prompt) -> str:
    """The last turn of the user that is not empty; "" without one."""
    return next((each.content for each in reversed(prompt.messages) if each.role is Role.USER and each.content), "")


# The answers on which rules try a script, each in the conversation of its prompt as a run would fill it.


ORDINARY_ANSWER = (
    "The capital of Kenya is Nairobi. It was founded in 1899 as a depot of the railway.\n\n"
    "1. It lies at 1,795 metres.\n2. It has 4.4 million inhabitants.\n\nFINAL ANSWER: B"
)
ANSWERS = (ORDINARY_ANSWER, "", "B", '{"answer": "B", "score": 1}')

_MODEL = "openai:gpt-4o-mini"
_SYSTEM = "You are a helpful assistant."
_CONVERSATION = lazy(r"\bcontext\b")
_DEFINITION = Prompt(
    index=0,
    span=NOWHERE,
    id="capital",
    id_span=NOWHERE,
    id_written=True,
    messages=(Message(NOWHERE, Role.USER, "What is the capital of Kenya?"),),
)
"""A prompt on which the script of a definition is tried."""


def subjects(prompt: Prompt | None, *, after_system: bool = False) -> Iterator[Subject]:
    """The test answers to `prompt`, and its ideal. Earlier turns that a model writes hold such an answer, too.

    `after_system`: only an ordinary answer, after a system prompt, which the file may set outside of `prompt`: it
    shifts the messages.
    """
    from engine.evaluation.point_assessment import subject_of

    prompt = prompt or _DEFINITION
    talk = conversation(prompt, Header(NOWHERE, systems=(_SYSTEM,) if after_system else ()))
    answers = (*ANSWERS, prompt.ideal) if prompt.ideal else ANSWERS
    for answer in (ORDINARY_ANSWER,) if after_system else answers:
        earlier = [answer or ORDINARY_ANSWER] * (talk.pending - 1)
        thread = talk.answered([*earlier, answer]) if talk.pending else talk.as_written()
        response = subject_text(thread) if talk.pending else answer
        yield subject_of(prompt, response, thread, _MODEL)


def _depends_on_earlier_answers(prompt: Prompt, call: FunctionCall) -> bool:
    """Whether a script reads the conversation, and models write some of it: one answer alone decides nothing."""
    earlier = any(message.content is None for message in prompt.messages[:-1])
    return earlier and call.name in ("js", "expr") and any(map(_CONVERSATION.search, call.texts()))


def failed_checks(view: PromptView, passes: float = 0.5) -> Iterator[tuple[Assessment, str]]:
    """Each check that the prompt's ideal fails, with a remark if it is on a path; `passes` is the least extent.

    All of a length is needed, which has part marks up to twice the limit.
    """
    prompt, ideal, calls = view.prompt, view.prompt.ideal, [point.call for point in view.checks]
    if not ideal or view.javascript is None or not any(_applies_to_ideal(prompt, call) for call in calls):
        return
    if len(ideal) * len(calls) > TRIED_CHARACTERS:
        return
    from engine.evaluation.point_assessment import assess_functions

    failed: list[Assessment] = []
    for one in assess_functions(prompt, ideal, view.javascript):
        call = one.point.call
        least = 1.0 if call.name == "word_count_between" else passes
        if one.extent is not None and one.error is None and one.extent < least and _applies_to_ideal(prompt, call):
            failed.append(one)
    yield from ((one, "") for one in failed if one.placed.path_id is None)
    yield from _failed_paths(view, failed)


def _applies_to_ideal(prompt: Prompt, call: FunctionCall) -> bool:
    """Whether the ideal should pass this check: not if it checks tool calls or earlier answers."""
    return not call.name.startswith("tool_") and not _depends_on_earlier_answers(prompt, call)


def _failed_paths(view: PromptView, failed: Sequence[Assessment]) -> Iterator[tuple[Assessment, str]]:
    """The first failed check of the first path, if every path of the block has a failed check."""
    for rubric in view.prompt.rubrics:
        ids = {rubric.path_id(path) for path in rubric.paths}
        of_block = [one for one in failed if one.placed.path_id in ids]
        if ids and view.prompt.ideal and {one.placed.path_id for one in of_block} == ids:
            yield of_block[0], f" (and it fails each of the {len(ids)} paths)" if len(ids) > 1 else ""


_CAPACITY = 20_000

_Key: TypeAlias = v8.Task | str
_cache: dict[_Key, v8.Outcome] = {}


CHECKING_SECONDS = 0.6
"""The processor time that V8 may use for one checking of a file. No file of the corpus needs half of it."""


class CachedRunner(Record):
    """V8 with a cache: `runner` runs only the tasks that are not cached, as long as the budget lasts.

    Without a runner, the tasks that it would run are `asked`: so V8 can run those of many rules in one batch.
    """

    runner: v8.BudgetedRunner | None
    budget: v8.Budget = field(default_factory=lambda: v8.Budget(CHECKING_SECONDS))
    asked: list[v8.Task] = field(default_factory=list["v8.Task"])

    def run(self, tasks: Sequence[v8.Task], meanwhile: Callable[[], None] | None = None) -> list[v8.Outcome]:
        """The outcomes of `tasks`, in their order; the new ones run in one batch.

        Raises `OutOfTime` if the budget does not cover all, a pattern would take V8 too long to compile, or there is no
        runner. The outcomes of those that ran are cached.
        """
        keys = [_key(task) for task in tasks]
        outcomes = {key: _cache[key] for key in keys if key in _cache}
        missing = {key: task for key, task in zip(keys, tasks, strict=True) if key not in outcomes}
        new = {key: task for key, task in missing.items() if not _is_too_heavy(task)}
        if new:
            if self.runner is None:
                self.asked.extend(new.values())
            if self.runner is None or self.budget.seconds <= 0:
                raise v8.OutOfTime
            ran = zip(new, self.runner.run_within(list(new.values()), self.budget, meanwhile), strict=True)
            found = {key: outcome for key, outcome in ran if outcome is not None}
            if len(_cache) > _CAPACITY:
                _cache.clear()
            _cache.update((key, outcome) for key, outcome in found.items() if _is_repeatable(outcome))
            outcomes |= found
        elif meanwhile is not None:
            meanwhile()
        if len(outcomes) < len(set(keys)):
            raise v8.OutOfTime
        return [outcomes[key] for key in keys]


def outcomes_of(javascript: v8.TaskRunner | None, tasks: Sequence[v8.Task]) -> list[v8.Outcome | None]:
    """The outcomes of `tasks`, in their order; without `javascript` only the cached ones, None for the others.

    Raises `OutOfTime` as `CachedRunner.run` does.
    """
    if javascript is None:
        return [_cache.get(_key(task)) for task in tasks]
    return [*javascript.run(tasks)]


def _key(task: v8.Task) -> _Key:
    """Everything that the outcome of `task` depends on. The scope of a script holds mappings, which are not hashable.

    The whole scope counts, whether the script names its parts or not: `\\u0072` is `r`, and `["con" + "text"]` works.
    """
    return f"{task.source}\0{task.scope!r}" if isinstance(task, v8.ScriptTask) else task


def _is_too_heavy(task: v8.Task) -> bool:
    """Whether `task` runs a pattern whose compilation no budget would end."""
    return isinstance(task, v8.RegexTask) and v8.is_heavy(task.pattern)


def _is_repeatable(outcome: v8.Outcome) -> bool:
    """Whether another run would have the same outcome: not if the process was killed or ran over a longer limit."""
    match outcome:
        case v8.Killed():
            return False
        case v8.TimedOut(milliseconds):
            return milliseconds <= CHECK_MILLISECONDS
        case _:
            return True
