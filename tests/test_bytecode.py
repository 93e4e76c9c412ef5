"""The bytecode that is made before the workers start is the one that they look for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from _pytest.assertion.rewrite import _read_pyc

from tests import bytecode


@pytest.fixture
def module(tmp_path: Path) -> Path:
    path = tmp_path / "test_a.py"
    path.write_text("def test_a():\n    assert 1 + 1 == 2\n")
    return path


def test_pytest_reads_what_was_rewritten(module: Path) -> None:
    bytecode.rewrite(module)
    assert _read_pyc(module, bytecode.bytecode_of(module)) is not None


def test_what_was_rewritten_is_cached(module: Path) -> None:
    assert not bytecode.is_cached(module, bytecode.bytecode_of(module))
    bytecode.rewrite(module)
    assert bytecode.is_cached(module, bytecode.bytecode_of(module))


def test_a_file_that_changed_is_not_cached(module: Path) -> None:
    bytecode.rewrite(module)
    os.utime(module, (1, 1))
    assert not bytecode.is_cached(module, bytecode.bytecode_of(module))


def test_pytest_rewrites_tests_and_their_configuration_alone() -> None:
    rewritten = {path.name for path in bytecode.modules("engine", "studio", "tests") if bytecode.is_rewritten(path)}
    assert {name for name in rewritten if not name.startswith("test_")} == {"conftest.py"}
