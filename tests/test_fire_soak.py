"""The measurements of the soak notice what grows; `tests/studio/test_memory.py` has the leaks that it found."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.fire import held, soak
from tests.fire.held import MEGABYTE, Held
from tests.fire.soak_author import PROMPTS, Servers, blueprint

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system shows no processes under /proc")
SERVERS = Servers("http://quick/v1", "http://slow/v1", "http://absent/v1")


@pytest.mark.parametrize(("grown", "met"), [(-3, True), (10, True), (11, False)])
def test_memory_may_grow_by_ten_megabytes(grown: int, met: bool) -> None:
    assert soak.memory_figure([100 * MEGABYTE, (100 + grown) * MEGABYTE]).met is met


def test_memory_given_back_in_between_does_not_count() -> None:
    assert soak.memory_figure([100 * MEGABYTE, 140 * MEGABYTE, 101 * MEGABYTE]).met


def test_what_there_is_more_of_is_told() -> None:
    figure = soak.counts_figure("left", Held(1, 5, 0, 9, 3).more_than(Held(1, 5, 0, 7, 2)), "two sockets")
    assert figure.met is False
    assert figure.result == "descriptors 7 → 9, tasks 2 → 3 (two sockets)"


def test_fewer_are_none_more() -> None:
    assert Held(9, 4, 0, 6).more_than(Held(1, 5, 1, 7)) == ""


async def test_a_descriptor_that_is_left_open_is_noticed() -> None:
    before = held.of_this_process()
    with socket.socket():
        assert (
            held.of_this_process().more_than(before) == f"descriptors {before.descriptors} → {before.descriptors + 1}"
        )


async def test_a_thread_that_is_left_is_noticed() -> None:
    before, end = held.of_this_process(), threading.Event()
    left = threading.Thread(target=end.wait)
    left.start()
    more = held.of_this_process().more_than(before)
    end.set()
    left.join()
    assert more == f"threads {before.threads} → {before.threads + 1}"


async def test_a_task_that_is_left_is_noticed() -> None:
    before = held.of_this_process()
    left = asyncio.create_task(asyncio.sleep(60))
    assert held.of_this_process().more_than(before) == f"tasks {before.tasks} → {before.tasks + 1}"
    left.cancel()


async def test_a_process_that_is_left_is_noticed() -> None:
    before = held.of_this_process()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as left:
        assert "children" in held.of_this_process().more_than(before)
        left.kill()


LEAVES_ONE_BEHIND = """
import subprocess, sys, time
from tests.fire import held
held.adopt()
leaves = "import subprocess; print(subprocess.Popen(['sleep', '60'], stdout=subprocess.DEVNULL).pid)"
left = int(subprocess.run([sys.executable, "-c", leaves], stdout=subprocess.PIPE).stdout)
print(held.children_of(__import__("os").getpid()) == (left,))
__import__("os").kill(left, 9)
"""


def test_a_process_that_a_child_leaves_behind_is_noticed() -> None:
    done = subprocess.run([sys.executable, "-c", LEAVES_ONE_BEHIND], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_few_rounds_have_as_long_a_warm_up_as_caches_take_to_fill() -> None:
    assert (soak.warm_up_of(1), soak.warm_up_of(30)) == (4, 10)


def test_the_text_of_the_author_has_the_places_that_the_steps_look_for() -> None:
    text = blueprint("Bread", SERVERS)
    assert all(f"Say word {number}, please." in text and f"Names word {number}" in text for number in range(PROMPTS))
    assert "ideal: It is word1, and word1." in text
