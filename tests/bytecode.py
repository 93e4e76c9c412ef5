"""Compiles the code and the tests once, before the workers of pytest-xdist start.

In a new clone each worker would compile all modules for itself, and so would each process that a test starts: a worker
spends more time on that than on importing them. Hypothesis keeps the constants of each module that it may try, too.
"""

from __future__ import annotations

import ast
import compileall
import importlib.util
import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from types import ModuleType

from _pytest.assertion.rewrite import PYC_TAIL, _write_pyc_fp, get_cache_dir, rewrite_asserts, try_makedirs
from hypothesis.internal.constants_ast import constants_from_module, is_local_module_file

ROOT = Path(__file__).parents[1]
_HEADER_BYTES = 16


def compile_all() -> None:
    """Compile every module that is newer than its bytecode. Where the folders cannot be written to, nothing is done.

    It is written where `PYTHONDONTWRITEBYTECODE` is set, too: only for lack of bytecode do the workers compile.
    """
    if not os.access(ROOT / "tests", os.W_OK):
        return
    rewritten = [path for path in modules("tests") if is_rewritten(path) and not is_cached(path, bytecode_of(path))]
    others = [path for path in modules("engine", "studio", "tests") if not is_rewritten(path)]
    stale = [path for path in others if not is_cached(path, Path(importlib.util.cache_from_source(path)))]
    if not rewritten and not stale:
        return
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        pool.map(_compile, stale, chunksize=20)
        pool.map(rewrite, rewritten, chunksize=10)


def modules(*folders: str) -> Iterator[Path]:
    """The Python files of `folders`."""
    for folder in folders:
        yield from sorted((ROOT / folder).rglob("*.py"))


def is_rewritten(path: Path) -> bool:
    """Whether pytest rewrites the assertions of this file, as it does by default."""
    return path.is_relative_to(ROOT / "tests") and (path.name.startswith("test_") or path.name == "conftest.py")


def bytecode_of(path: Path) -> Path:
    """Where pytest keeps the bytecode of a file whose assertions it rewrites."""
    return get_cache_dir(path) / f"{path.stem}{PYC_TAIL}"


def is_cached(path: Path, bytecode: Path) -> bool:
    """Whether `bytecode` is of the present text of `path`, by its time and its size."""
    stat = path.stat()
    wanted = b"\0\0\0\0" + b"".join(
        (number & 0xFFFFFFFF).to_bytes(4, "little") for number in (int(stat.st_mtime), stat.st_size)
    )
    try:
        with bytecode.open("rb") as file:
            return file.read(_HEADER_BYTES) == importlib.util.MAGIC_NUMBER + wanted
    except FileNotFoundError:
        return False


def rewrite(path: Path) -> None:
    """Write the bytecode of `path` with rewritten assertions, as pytest does when it imports the file."""
    stat, source = path.stat(), path.read_bytes()
    tree = ast.parse(source, filename=str(path))
    rewrite_asserts(tree, source, str(path))
    code = compile(tree, str(path), "exec", dont_inherit=True)
    made = bytecode_of(path)
    if try_makedirs(made.parent):
        begun = made.with_name(f"{made.name}.{os.getpid()}")
        with begun.open("wb") as file:
            _write_pyc_fp(file, stat, code)
        begun.replace(made)


def _compile(path: Path) -> None:
    compileall.compile_file(path, quiet=1)
    if is_local_module_file(str(path)):
        module = ModuleType(path.stem)
        module.__file__ = str(path)
        constants_from_module(module)
