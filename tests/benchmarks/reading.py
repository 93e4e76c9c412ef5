"""Reading the whole corpus, and checking a response: against js-yaml in Node, and against the clock."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence

from engine import functions
from engine.blueprint import FunctionCall
from engine.functions.point_function import Subject
from engine.functions.tasks import SyntaxTask
from engine.functions.v8 import JavaScript
from engine.parsing import parse
from tests.benchmarks.programs import seconds_of
from tests.benchmarks.table import Row, row
from tests.js_yaml import missing
from tests.world import corpus_files

ROUNDS = 15
MOST = 1.5
"""How many times js-yaml's time reading may take."""

POINTS = 1000
RESPONSE = 20_000
"""Characters."""

OURS = """
import sys
from pathlib import Path
from engine.parsing import parse, weval_config
for name in sys.argv[1:]:
    path = Path(name)
    weval_config(parse(path.read_bytes().decode("utf-8"), path))
"""
THEIRS = """
const {loadAll} = require("js-yaml"), {readFileSync} = require("fs");
for (const name of process.argv.slice(1)) { try { loadAll(readFileSync(name, "utf8")); } catch {} }
"""


def measure() -> Iterator[Row]:
    """The corpus, in one process each, in turn and start included; then function points on one response."""
    yield from _corpus()
    yield from _points()


def _corpus() -> Iterator[Row]:
    reason = missing()
    if reason is not None:
        print(f"reading: {reason}", file=sys.stderr)
        return
    names = [str(path) for path in corpus_files()]
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(ROUNDS):
        theirs.append(1000 * seconds_of(["node", "-e", THEIRS, *names]))
        ours.append(1000 * seconds_of([sys.executable, "-c", OURS, *names]))
    yield row("read: js-yaml loadAll", "the whole corpus", "ms", theirs)
    yield row("read: parse and normalise", "the whole corpus", "ms", ours)
    ratios = [mine / its for mine, its in zip(ours, theirs, strict=True)]
    yield row("read: ratio, pair by pair", "the whole corpus", "×", ratios, (MOST, float("inf")))


def _points() -> Iterator[Row]:
    """The corpus's own function points, but `$js`, which runs each script in a context of its own."""
    prompts = [prompt for path in corpus_files() for prompt in parse(path.read_text("utf-8"), path).blueprint.prompts]
    calls = [point.function for prompt in prompts for point in prompt.points() if point.function is not None]
    known = [call for call in calls if functions.find(call.name) is not None]
    subject = Subject("\n\n".join(prompt.ideal for prompt in prompts if prompt.ideal)[:RESPONSE])
    with JavaScript() as javascript:
        plain = [call for call in known if call.name != "js"]
        samples = _checked(_as_many(plain, POINTS), subject, javascript)
        yield row("check: 1,000 function points", "a 20 KB response", "ms", samples, (50, float("inf")))
        scripts = [call for call in known if call.name == "js"]
        samples = _checked(_as_many(scripts, 20), subject, javascript)
        yield row("check: one $js", "a 20 KB response", "ms", [sample / 20 for sample in samples])
        for what, ending in (("sound", ""), ("with an error", " )")):
            samples = _read([f"{call.args}{ending}" for call in _as_many(scripts, 20)], javascript)
            yield row(f"syntax: one $js {what}", "the corpus's scripts", "ms", [sample / 20 for sample in samples])


def _read(sources: Sequence[str], javascript: JavaScript) -> list[float]:
    """Milliseconds of each round in which V8 reads all of `sources` and runs none."""
    samples: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        javascript.run([SyntaxTask(source) for source in sources])
        samples.append((time.perf_counter() - began) * 1000)
    return samples


def _as_many(calls: Sequence[FunctionCall], count: int) -> list[FunctionCall]:
    return [calls[index % len(calls)] for index in range(count)]


def _checked(calls: Sequence[FunctionCall], subject: Subject, javascript: JavaScript) -> list[float]:
    """Milliseconds of each round after the first, which starts V8."""
    samples: list[float] = []
    for _ in range(ROUNDS + 1):
        began = time.perf_counter()
        functions.run(calls, subject, javascript)
        samples.append((time.perf_counter() - began) * 1000)
    return samples[1:]
