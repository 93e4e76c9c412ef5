"""The sentence encoder, held against numbers of the reference implementation (sentence-transformers 6.2)."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine.closest_sentence import EncoderFailed, MiniLM
from engine.closest_sentence.encoder import closeness
from engine.closest_sentence.wordpiece import WordPieces, words
from engine.models.weights import MINILM
from tests.closest_sentence.weights import INSTALLED_IN, needs_encoder

GOLDEN: list[dict[str, Any]] = [
    json.loads(line) for line in (Path(__file__).parents[1] / "data" / "minilm.jsonl").read_text("utf-8").splitlines()
]
each_golden = pytest.mark.parametrize("row", GOLDEN, ids=[row["text"][:24] or "empty" for row in GOLDEN])


@pytest.fixture(autouse=True)
def _weights_of_this_machine(clean_environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(INSTALLED_IN))


@pytest.fixture(scope="module")
def encoder() -> Iterator[MiniLM]:
    encoder = MiniLM(INSTALLED_IN / "models" / MINILM.name)
    yield encoder
    encoder.close()


@pytest.fixture(scope="module")
def pieces() -> WordPieces:
    return WordPieces.read(INSTALLED_IN / "models" / MINILM.name / "tokenizer.json")


def kill(encoder: MiniLM) -> None:
    """Kill the process of `encoder`, and wait until it is gone."""
    killed = encoder.pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    end = time.monotonic() + 60
    while encoder.pid == killed and time.monotonic() < end:
        time.sleep(0.01)


def gone(pid: str) -> bool:
    """Whether a process has ended within a minute; one that nobody has collected yet has."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        try:
            if "(zombie)" in Path(f"/proc/{pid}/status").read_text():
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.02)
    return False


@needs_encoder
@each_golden
def test_a_text_is_cut_into_the_pieces_of_the_reference(row: dict[str, Any], pieces: WordPieces) -> None:
    assert pieces.numbers(row["text"], 256) == row["pieces"]


@needs_encoder
@each_golden
def test_a_text_has_the_vector_of_the_reference(row: dict[str, Any], encoder: MiniLM) -> None:
    golden = array("f")
    golden.frombytes(base64.b64decode(row["vector"]))
    assert encoder.encode([row["text"]])[0].tolist() == pytest.approx(golden.tolist(), abs=2e-6)


@needs_encoder
def test_texts_side_by_side_have_the_vectors_that_they_have_alone(encoder: MiniLM) -> None:
    texts = [row["text"] for row in GOLDEN]
    together = MiniLM(INSTALLED_IN / "models" / MINILM.name)
    alone = [encoder.encode([text])[0] for text in texts]
    found = together.encode(texts)
    together.close()
    assert [vector.tolist() for vector in found] == [pytest.approx(vector.tolist(), abs=2e-6) for vector in alone]


@needs_encoder
def test_the_meaning_of_a_text_is_nearest_to_itself(encoder: MiniLM) -> None:
    vote, allowed, cake = encoder.encode(["You may vote.", "Voting is permitted.", "Beat the eggs with sugar."])
    assert closeness(vote, vote) == pytest.approx(1)
    assert closeness(vote, allowed) > 0.5 > 0.3 > closeness(vote, cake)


@needs_encoder
def test_a_text_met_before_is_not_encoded_again(encoder: MiniLM) -> None:
    first = encoder.encode(["Once."])[0]
    encoder.close()
    assert encoder.encode(["Once.", "Once."]) == [first, first]
    assert encoder.pid is None


@needs_encoder
def test_a_process_that_was_killed_is_started_anew(encoder: MiniLM) -> None:
    encoder.encode(["Before."])
    kill(encoder)
    assert len(encoder.encode(["After."])[0]) == 384


@needs_encoder
def test_a_process_that_ends_while_it_is_asked_is_told(encoder: MiniLM) -> None:
    encoder.encode(["Before."])
    threading.Timer(0.1, kill, [encoder]).start()
    with pytest.raises(EncoderFailed, match="process ended"):
        encoder.encode([f"Clause {number} of a long contract. " * 20 for number in range(200)])
    assert len(encoder.encode(["After."])[0]) == 384


@needs_encoder
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system shows no processes under /proc")
def test_it_ends_with_the_program_even_when_that_is_killed() -> None:
    program = (
        "import os, signal; from pathlib import Path; from engine.closest_sentence import MiniLM; "
        f"encoder = MiniLM(Path({str(INSTALLED_IN / 'models' / MINILM.name)!r})); encoder.encode(['x']); "
        "print(encoder.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert gone(ended.stdout.strip())


@needs_encoder
def test_several_threads_take_turns(encoder: MiniLM) -> None:
    found: dict[int, object] = {}
    threads = [
        threading.Thread(target=lambda number=number: found.update({number: encoder.encode([f"Thread {number}."])}))
        for number in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


@needs_encoder
def test_weights_that_are_no_network_are_told_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}" + bytes(64))
    (tmp_path / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(EncoderFailed, match="does not start") as told:
        MiniLM(tmp_path).encode(["x"])
    assert "studio models install" in told.value.advice


def test_without_weights_the_command_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setenv("BLUEPRINT_STUDIO_DATA", str(tmp_path))
    with pytest.raises(EncoderFailed, match="weights of all-MiniLM-L6-v2 are not installed") as told:
        MiniLM().encode(["x"])
    assert told.value.advice == "Run `studio models install minilm`."


def test_words_have_neither_case_nor_accents_and_marks_stand_alone() -> None:
    assert words("Café, NAÏVE\u200b x₤$5") == ["cafe", ",", "naive", "x₤", "$", "5"]


def test_a_word_with_a_piece_in_no_vocabulary_is_unknown_as_a_whole() -> None:
    pieces = WordPieces({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "un": 3, "##known": 4, "u": 5})
    assert pieces.numbers("unknown unknow", 9) == [1, 3, 4, 0, 2]


def test_what_looks_like_a_control_piece_is_text() -> None:
    pieces = WordPieces({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[": 3, "]": 4, "sep": 5})
    assert pieces.numbers("[SEP]", 9) == [1, 3, 5, 4, 2]


def test_no_text_has_more_pieces_than_asked_for() -> None:
    pieces = WordPieces({"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3})
    assert pieces.numbers("a " * 50, 5) == [1, 3, 3, 3, 2]
