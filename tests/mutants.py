"""How many small faults the tests notice: `python -m tests.mutants draw|run FILE [--number 400] [--seed 1]`.

`draw` draws mutants over the code where a fault costs an author a score or a word, sows a probe at each of them in a
copy, and runs the whole suite there once, to learn which tests pass each mutant; FILE gets them, one JSON object a
line. `run` sows them one at a time and runs only those tests, as the README's line does, until one fails or a minute is
over. The share that is killed is what a smaller suite is held to, since mutants drawn anew by the same operators are
as hard to kill.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from queue import Queue

import msgspec

from tests.seeded_faults import ROOT, Copy

SUBJECTS = ("engine/scoring", "engine/judging", "engine/store", "engine/files", "studio/session")
SECONDS = 60
"""Of the processor, so that a busy machine kills no more than an idle one."""
HANGS_AFTER = 900.0
_FATES = ("killed", "alive", "no end", "no test")
MOST_TESTS = 300
"""More names than this make a command line that no system takes; those that pass the fewest mutants come first."""

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.BitOr: "&", ast.BitAnd: "|",
}  # fmt: skip
_NOT_RUN = ("annotation", "returns", "decorator_list", "pattern")
_PROBE = """import os
seen = set()
def hit(number):
    found = (number, os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" (")[0])
    if found not in seen:
        seen.add(found)
        line = f"{number}\\t{found[1]}\\n".encode()
        file = os.open(__file__ + ".txt", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, line)
        os.close(file)
"""


class Mutant(msgspec.Struct, frozen=True):
    """What stands at `start` up to `end` (bytes of `path`) is replaced by `now`; `tests` pass that place."""

    path: str
    line: int
    start: int
    end: int
    was: str
    now: str
    tests: tuple[str, ...] = ()


def candidates(path: Path, root: Path = ROOT) -> Iterator[Mutant]:
    """Every mutant of one file, within functions only: what runs at import belongs to no test."""
    source = path.read_bytes()
    starts = [0, *accumulate(map(len, source.splitlines(keepends=True)))]
    for node in _within_functions(ast.parse(source)):
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        was = source[start:end].decode()
        for now in _changes(node):
            yield Mutant(path.relative_to(root).as_posix(), node.lineno, start, end, was, now)


def _within_functions(tree: ast.AST, inside: bool = False) -> Iterator[ast.expr]:
    """The expressions that run when a function does: no annotation, default, decorator, pattern or f-string."""
    for name, value in ast.iter_fields(tree):
        if name in _NOT_RUN or (name == "args" and not isinstance(tree, ast.Call)):
            continue
        for node in value if isinstance(value, list) else [value]:
            if not isinstance(node, ast.AST) or isinstance(node, ast.JoinedStr):
                continue
            if inside and isinstance(node, ast.expr):
                yield node
            yield from _within_functions(node, inside or isinstance(tree, ast.FunctionDef | ast.AsyncFunctionDef))


def _changes(node: ast.expr) -> Iterator[str]:
    """What may take the place of an expression."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            yield f"{ast.unparse(left)} {_COMPARISONS[type(op)]} {ast.unparse(right)}"
        case ast.BoolOp(op=op, values=values):
            other = " or " if isinstance(op, ast.And) else " and "
            yield other.join(f"({ast.unparse(value)})" for value in values)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield ast.unparse(operand)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            yield f"({ast.unparse(left)}) {_ARITHMETIC[type(op)]} ({ast.unparse(right)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield f"({ast.unparse(orelse)}) if ({ast.unparse(test)}) else ({ast.unparse(body)})"
        case ast.Constant(value=bool() as value):
            yield str(not value)
        case ast.Constant(value=int() | float() as value):
            yield repr(value + 1)
        case ast.Call(func=ast.Name(id="max" | "min" as name)):
            yield ("min" if name == "max" else "max") + ast.unparse(node)[len(name) :]
        case _:
            pass


def draw(number: int, seed: int) -> list[Mutant]:
    """`number` mutants of the subjects, of which no two overlap, in the order of their files."""
    found = [
        each for subject in SUBJECTS for path in sorted((ROOT / subject).rglob("*.py")) for each in candidates(path)
    ]
    random.Random(seed).shuffle(found)
    chosen: dict[str, list[Mutant]] = defaultdict(list)
    for each in found:
        if sum(map(len, chosen.values())) == number:
            break
        if all(each.end <= other.start or other.end <= each.start for other in chosen[each.path]):
            chosen[each.path].append(each)
    return sorted((each for some in chosen.values() for each in some), key=lambda each: (each.path, each.start))


def sown(source: bytes, changes: Iterable[tuple[Mutant, str]]) -> bytes:
    """The text of a file with each mutant's place replaced."""
    for mutant, now in sorted(changes, key=lambda change: -change[0].start):
        source = source[: mutant.start] + now.encode() + source[mutant.end :]
    return source


def with_tests(mutants: Sequence[Mutant], workers: int) -> list[Mutant]:
    """Each with the tests that pass it, found by one run of the whole suite with a probe at each."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        probe = copy.root / "mutant_probe.py"
        probe.write_text(_PROBE, "utf-8")
        for path in {mutant.path for mutant in mutants}:
            probes = [
                (each, f'(__import__("mutant_probe").hit({number}) or ({each.was}))')
                for number, each in enumerate(mutants)
                if each.path == path
            ]
            (copy.root / path).write_bytes(sown((ROOT / path).read_bytes(), probes))
        environment = {**os.environ, "PYTHONPATH": str(copy.root), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "--dist", "worksteal", "-o", "addopts="]
        subprocess.run(command, cwd=copy.root, env=environment, check=False, stdout=sys.stderr)
        passed: dict[int, set[str]] = defaultdict(set)
        for line in probe.with_name(probe.name + ".txt").read_text("utf-8").splitlines():
            mutant, _, test = line.partition("\t")
            if test:
                passed[int(mutant)].add(test)
    rate = Counter(test for tests in passed.values() for test in tests)
    return [
        msgspec.structs.replace(each, tests=tuple(sorted(passed[number], key=lambda test: (rate[test], test))))
        for number, each in enumerate(mutants)
    ]


def fate(mutant: Mutant, copy: Copy) -> str:
    """`killed`, `alive`, `no end` where time was over before a test failed, or `no test` where none passes it."""
    if not mutant.tests:
        return "no test"
    source = (ROOT / mutant.path).read_bytes()
    (copy.root / mutant.path).write_bytes(sown(source, [(mutant, f"({mutant.now})")]))
    try:
        code = copy.run(mutant.tests[:MOST_TESTS], HANGS_AFTER, SECONDS, thoroughly=False).returncode
    except subprocess.TimeoutExpired:
        return "no end"
    finally:
        (copy.root / mutant.path).write_bytes(source)
    return "alive" if code == 0 else "no end" if code < 0 else "killed"


def run(mutants: Sequence[Mutant], workers: int) -> Counter[tuple[str, str]]:
    """How many of each subject met which fate; each that is not killed is printed."""
    counts: Counter[tuple[str, str]] = Counter()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        copies: Queue[Copy] = Queue()
        for number in range(workers):
            copies.put(Copy(Path(folder) / str(number)))

        def outcome(mutant: Mutant) -> tuple[Mutant, str]:
            copy = copies.get()
            try:
                return mutant, fate(mutant, copy)
            finally:
                copies.put(copy)

        for mutant, end in pool.map(outcome, mutants):
            counts[mutant.path.rpartition("/")[0], end] += 1
            if end != "killed":
                print(f"{end}: {mutant.path}:{mutant.line} {mutant.was!r} -> {mutant.now!r}", flush=True)
    return counts


def main(arguments: Sequence[str]) -> None:
    """Draw mutants into a file, or run those of a file."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants")
    parser.add_argument("what", choices=("draw", "run"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--number", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args(arguments)
    if given.what == "draw":
        found = with_tests(draw(given.number, given.seed), given.workers)
        given.file.write_bytes(b"".join(msgspec.json.encode(each) + b"\n" for each in found))
        return
    mutants = [msgspec.json.decode(line, type=Mutant) for line in given.file.read_bytes().splitlines()]
    counts = run(mutants, given.workers)
    for subject in sorted({subject for subject, _ in counts}):
        print(subject, json.dumps({end: counts[subject, end] for end in _FATES}))
    ends = Counter({end: sum(n for (_, each), n in counts.items() if each == end) for _, end in counts})
    print(f"{sum(ends.values())}:", ", ".join(f"{ends[end]} {end}" for end in _FATES))


if __name__ == "__main__":
    main(sys.argv[1:])
