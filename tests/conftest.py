"""What every test relies on: no colour or theme from outside, and a home of its own for data, state and settings."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from functools import cache
from itertools import count
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings
from pytest_httpserver import HTTPServer

from engine.files import own_files
from tests.bytecode import compile_all
from tests.left_out import NOTHING_LEFT_OUT, left_out
from tests.patience import be_patient, rest_never
from tests.shared_server import SharedServer
from tests.thoroughness import THOROUGH, tried

# How long an example takes says more of the machine than of the law. Where a change is checked the examples are the
# same each time: a new one that fails says nothing of the change.
settings.register_profile(
    "patient",
    deadline=None,
    max_examples=tried(20, 100),
    derandomize=THOROUGH or "CI" in os.environ,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("patient")


TESTS = Path(__file__).parent

_NUMBERS = count()
_REMEMBERED = (("engine.models.secret", "_used"), ("engine.evaluation.sources", "REQUESTS"))
"""What a process remembers of keys and of requests, by module and name; a test begins without that of others."""


def pytest_configure(config: pytest.Config) -> None:
    """Compile the modules before the workers start that need them.

    No garbage is looked for among what is collected, which stays: that took a third of the time.
    """
    gc.disable()
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        compile_all()


def pytest_collection_finish() -> None:
    """Look for garbage from now on, and not among what was collected."""
    gc.freeze()
    gc.set_threshold(20_000, 10, 10)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three workers for two cores: one computes while another waits, on processes and the disk. Each collects all tests
    and takes up to 1 GB, so that more of them cost more than they gain."""
    return (3 * (os.cpu_count() or 1) + 1) // 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what only a thorough run tries, and mix the modules, each time in the same way: those that compute run
    beside those that wait."""
    if not THOROUGH:
        whole = [item for item in items if item.get_closest_marker("thorough") is not None]
        config.hook.pytest_deselected(items=whole)
        items[:] = [item for item in items if item not in whole]
    items.sort(key=lambda item: _order(item.path))


@cache
def _order(module: Path) -> int:
    return crc32(module.relative_to(TESTS).as_posix().encode())


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where each test has its home. A folder that pytest numbers itself costs more the more there are."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def clean_environment(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, homes: Path) -> Path:
    """No variable of the caller changes a picture or answers for a key, and nothing is written to the real home."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TEXTUAL_THEME", "COLORTERM", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    home = homes / str(next(_NUMBERS))
    home.mkdir()
    monkeypatch.setenv("BLUEPRINT_STUDIO_HOME", str(home))
    own_files.listen(lambda _: None)  # what was reported before is not for this test
    own_files.listen(None)
    be_patient(monkeypatch)
    kept = request.node.get_closest_marker("rests")
    rest_never(monkeypatch, () if kept is None else kept.args)
    for module, name in _REMEMBERED:
        if module in sys.modules:
            getattr(sys.modules[module], name).clear()
    return home


@pytest.fixture(scope="session")
def make_httpserver() -> Iterator[HTTPServer]:
    """The server behind `httpserver`, one for each worker."""
    with SharedServer() as server:
        yield server


@pytest.fixture
def reports() -> Iterator[list[str]]:
    """What is reported of the program's own files."""
    heard: list[str] = []
    own_files.listen(heard.append)
    yield heard
    own_files.listen(None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line what was not tested: a run without its oracles must not look like one with them."""
    line = left_out(report.longrepr for report in terminalreporter.stats.get("skipped", ()))
    terminalreporter.write_line(line, yellow=line != NOTHING_LEFT_OUT)
