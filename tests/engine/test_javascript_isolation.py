"""Nothing that a blueprint writes changes what V8 answers to anything else, whatever kind of task it comes in."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import functions
from engine.blueprint import FunctionCall
from engine.evaluation.point_assessment import assess
from engine.functions.point_function import Subject
from engine.functions.tasks import (
    CompileTask,
    JsError,
    JsonTask,
    Matches,
    Outcome,
    RegexTask,
    ScriptTask,
    SyntaxTask,
    Task,
    TimedOut,
    Value,
)
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from engine.rules import check
from engine.text.spans import Span
from engine.yaml.nodes import Data
from tests.many_cases import every
from tests.pieces import pieces
from tests.thoroughness import one_in, tried

HOISTED = pieces("scripts that hoist")
STATEMENTS = pieces("scripts that change what is there")
BREAKOUTS = ("}); HERE (function () {", "}}); HERE (function () {{", "\n}); HERE; (function () {", "*/ HERE /*")
BROKEN_OUT = [breakout.replace("HERE", text) for breakout in BREAKOUTS for text in HOISTED]
HOSTILE = (*HOISTED, *STATEMENTS, *one_in(5, BROKEN_OUT), *one_in(4, [f"{text} )" for text in HOISTED]))
PROBES: tuple[tuple[Task, Outcome], ...] = (
    (RegexTask("^b", "i", "abc"), Matches()),
    (RegexTask("b", "", "abc b"), Matches((Span(1, 2), Span(4, 5)))),
    (CompileTask("(?i)x"), JsError("SyntaxError", "Invalid regular expression: /(?i)x/: Invalid group")),
    (JsonTask("[1]"), Value("array", None)),
    (SyntaxTask("return r.length"), Value("boolean", True)),
    (SyntaxTask("a b"), JsError("SyntaxError", "Unexpected identifier 'b'", 2)),
    (ScriptTask("typeof leaked + {}.polluted + /b/.test('a') + JSON.stringify([r])", (("r", "x"),)),
     Value("string", 'undefinedundefinedfalse["x"]')),
)  # fmt: skip
QUESTIONS = [task for task, _ in PROBES]
ANSWERS = [outcome for _, outcome in PROBES]
WITH_ARGUMENTS = Subject('TOOL_CALL {"name": "t", "arguments": {"a": 1}}')


@pytest.fixture(scope="module")
def javascript() -> Iterator[JavaScript]:
    with JavaScript(milliseconds=1000) as javascript:  # a machine that is busy stops no sound script
        yield javascript


@pytest.fixture(scope="module")
def impatient() -> Iterator[JavaScript]:
    """For scripts that do not end: each takes all the time that it is given."""
    with JavaScript(milliseconds=300) as javascript:
        yield javascript


def carried(text: str) -> list[Task]:
    """`text` in every kind of task that can hold it."""
    return [
        ScriptTask(text, (("r", "text"),)),
        ScriptTask("r", (("r", text),)),
        SyntaxTask(text),
        RegexTask(text, "", text),
        RegexTask("b", text, text),
        CompileTask(text),
        JsonTask(text),
    ]


@every("text", HOSTILE)
def test_a_text_changes_no_other_answer_of_its_batch(javascript: JavaScript, text: str) -> None:
    assert javascript.run([*carried(text), *QUESTIONS])[len(carried(text)) :] == ANSWERS


@every("text", HOSTILE)
def test_a_text_changes_no_answer_to_what_is_asked_later(javascript: JavaScript, text: str) -> None:
    javascript.run(carried(text))
    assert javascript.run(QUESTIONS) == ANSWERS


@every("text", [*STATEMENTS, *HOISTED])
def test_a_where_string_changes_no_other_answer(javascript: JavaScript, text: str) -> None:
    where: Data = {"name": "t", "where": f"(() => {{ {text}; return true }})()"}
    functions.run([FunctionCall("tool_args_match", where)], WITH_ARGUMENTS, javascript)
    assert javascript.run(QUESTIONS) == ANSWERS


@settings(max_examples=tried(10, 40), deadline=None)
@given(
    texts=st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=4),
    breakout=st.sampled_from(BREAKOUTS),
    data=st.data(),
)
def test_texts_together_change_nothing(texts: list[str], breakout: str, data: st.DataObject) -> None:
    tasks = data.draw(st.permutations(carried(breakout.replace("HERE", " ".join(texts)))))
    assert SHARED.run([*tasks, *QUESTIONS])[len(tasks) :] == ANSWERS


def test_a_declaration_hoisted_while_syntax_is_checked_does_not_reach_patterns(javascript: JavaScript) -> None:
    text = "}); function RegExp(p, f) { return {global: true, exec: () => ({index: 0, 0: 'x'})} } (function () {"
    assert javascript.run([SyntaxTask(text), RegexTask("z", "", "abc")])[1] == Matches()


FILE = """\
- id: one
  prompt: x
  should:
    - $js: {script}
- id: two
  prompt: y
  ideal: abc
  should:
    - $matches: ^z
"""


@every("text", HOSTILE)
def test_opening_a_file_changes_no_check_of_another_prompt_or_file(javascript: JavaScript, text: str) -> None:
    opened = parse(FILE.format(script=json.dumps(text)))
    one, two = opened.blueprint.prompts
    check(opened, javascript)
    assess(one, "abc", javascript)
    assert [each.extent for each in assess(two, "abc", javascript)] == [0.0]
    assert [each.extent for each in assess(parse(FILE.format(script="'1'")).blueprint.prompts[1], "z", javascript)] == [
        1.0
    ]


@pytest.mark.parametrize("source", ["Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", "for (;;) {}"])
def test_a_script_that_blocks_leaves_the_other_answers(impatient: JavaScript, source: str) -> None:
    assert impatient.run([ScriptTask(source, ()), *QUESTIONS])[1:] == ANSWERS


REACHED = "{} + typeof process + typeof require + typeof module + typeof fetch + typeof read + typeof load"
NOTHING = "undefined" * 6


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        (f"this.constructor.constructor('return {REACHED.format(chr(34) * 2)}')()", Value("string", NOTHING)),
        (f"console.log.constructor('return {REACHED.format(chr(34) * 2)}')()", Value("string", NOTHING)),
        (f"(async () => 1).constructor('globalThis.found = {REACHED.format(chr(34) * 2)}')(); found",
         Value("string", NOTHING)),
        (f"Reflect.construct(Function, ['return {REACHED.format(chr(34) * 2)}'], Proxy)()", Value("string", NOTHING)),
        ("(function f() { return f.caller })()", Value("null", None)),
        ("(function () { return arguments.callee.caller })()", Value("null", None)),
        ("Error.prepareStackTrace = (_, sites) => sites.some((site) => typeof site.getFunction() === 'function' "
         "&& site.getFunction() !== mine); function mine() { return new Error().stack } mine()",
         Value("boolean", False)),
        ("Error.prepareStackTrace = (_, sites) => sites.every((site) => [undefined, globalThis].includes("
         "site.getThis())); new Error().stack", Value("boolean", True)),
        ("import('fs').then(() => { globalThis.found = 1 }); import('file:///etc/passwd'); typeof found",
         Value("string", "undefined")),
        ("import.meta", JsError("SyntaxError", "Cannot use 'import.meta' outside a module")),
        ("%DebugPrint(1)", JsError("SyntaxError", "Unexpected token '%'")),
        ("typeof WebAssembly.compileStreaming + typeof Worker + typeof ShadowRealm + typeof d8 + typeof gc",
         Value("string", "undefined" * 5)),
        ("new WebAssembly.Memory({initial: 65536})",
         JsError("RangeError", "WebAssembly.Memory(): could not allocate memory")),
        ("new SharedArrayBuffer(2 ** 40)", JsError("RangeError", "Invalid array buffer length")),
        ("new ArrayBuffer(2 ** 34)", JsError("RangeError", "Array buffer allocation failed")),
        ("new Proxy({}, {has() { for (;;); }})", TimedOut(300)),
        ("throw {get name() { for (;;); }, message: 1}", TimedOut(300)),
    ],
)  # fmt: skip
def test_a_script_gets_hold_of_nothing_outside_its_context(
    impatient: JavaScript, source: str, outcome: Outcome
) -> None:
    assert impatient.run([ScriptTask(source, ()), *QUESTIONS]) == [outcome, *ANSWERS]


@pytest.mark.parametrize("source", [
    "import('fs').then(() => 1, () => { globalThis.found = 'rejected' }); Promise.resolve().then(() => { for (;;); })",
    "Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value.then(() => { for (;;); })",
    "new FinalizationRegistry(() => { for (;;); }).register({}, 1); let all = []; for (;;) all.push({})",
    "WebAssembly.instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => { for (;;); })",
    "globalThis[Symbol.unscopables] = new Proxy({}, {get() { for (;;); }}); JSON",
])  # fmt: skip
def test_what_a_script_leaves_behind_reaches_no_other_answer(impatient: JavaScript, source: str) -> None:
    assert impatient.run([ScriptTask(source, ()), *QUESTIONS])[1:] == ANSWERS


@pytest.fixture(scope="session", autouse=True)
def _shared_closed() -> Iterator[None]:
    yield
    SHARED.close()


SHARED = JavaScript(milliseconds=1000)
"""Hypothesis calls one test many times, and wants nothing made for each."""
