"""What the commands print, recorded before a change and compared after it.

`python -m tests.recordings record` runs the commands on the corpus, the texts of the tests and twenty files with cases,
in a data folder of their own, and writes what they print to `recordings/before`, which git ignores. `compare` does the
same again, into `recordings/now`, and prints the differences; it ends with 1 where there are any. Times are left out.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from click.testing import CliRunner

from studio.cli import main as studio
from tests.recordings.texts import write

FOLDER = Path(__file__).parents[2] / "recordings"
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d(?:[:-]\d\d)?(?:[.-]\d+)?(?: UTC|Z|\+00:00)?|"
    r"\b\d+(?:\.\d+)? m?s\b|\"(?:seconds|checkedIn)\w*\": [\d.]+"
)
_CONTEXT = 1


def _commands(twenty: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    """The name of each recording, and the arguments of its command; `OUT` is a file that the command writes."""
    yield "check-corpus", ("check", "--format", "json", "corpus")
    yield "check-texts", ("check", "--format", "json", *sorted(map(str, Path("texts").glob("*.yml"))))
    yield "check-weval", ("check", "--format", "json", "--for", "weval", *twenty)
    yield "parse", ("parse", *twenty)
    for form in ("text", "json"):
        yield f"test-{form}", ("test", "--points", "--format", form, *twenty)
    for form in ("text", "markdown", "json"):
        yield f"review-{form}", ("review", "--format", form, *twenty)
    for file in twenty:
        name, after = Path(file).stem, str(Path("after", Path(file).name))
        result, later = f"out/run-{name}.json", f"out/run-after-{name}.json"
        prompt = json.loads(Path(f"{file}.cases").read_text("utf-8"))["cases"][0]["prompt"]
        yield f"run-{name}", ("run", "--ideal", "--details", "--json", "OUT", file)
        yield f"run-after-{name}", ("run", "--ideal", "--json", "OUT", after)
        yield f"explain-{name}", ("explain", "--blueprint", file, "--prompt", prompt, "--target", "90", result)
        yield f"explain-json-{name}", ("explain", "--blueprint", file, "--format", "json", result)
        yield f"compare-{name}", ("compare", result)
        for form in ("text", "json"):
            yield f"compare-{form}-{name}", ("compare", "--format", form, result, later)
            yield f"diff-{form}-{name}", ("diff", "--format", form, file, after)
        for form in ("markdown", "html", "json"):
            yield f"report-{form}-{name}", ("report", "--format", form, file)


def record(folder: Path) -> None:
    """Write what each command prints to a file in `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        os.environ |= {"BLUEPRINT_STUDIO_HOME": f"{place}/home", "NO_COLOR": "1", "COLUMNS": "100"}
        write(Path())
        Path("out").mkdir()
        for name, arguments in _commands(sorted(str(path) for path in Path("twenty").glob("*.yml"))):
            out = Path("out", f"{name}.json")
            done = CliRunner().invoke(studio, [str(out) if each == "OUT" else each for each in arguments])
            written = out.read_text("utf-8") if out.exists() else ""
            said = done.stderr if done.exit_code == 2 else ""  # else it is progress
            text = f"exit {done.exit_code}\n{done.stdout}{said}{written}".replace(place, "PLACE")
            (folder / name).write_text(_TIME.sub("TIME", text.replace(',"', ',\n"')), "utf-8")
        os.chdir(FOLDER)


def differences(before: Path, now: Path) -> Iterator[str]:
    """What differs between two folders of recordings, as lines of a unified difference."""
    for name in sorted({path.name for folder in (before, now) for path in folder.iterdir()}):
        old, new = (_lines(folder / name) for folder in (before, now))
        yield from difflib.unified_diff(old, new, f"before/{name}", f"now/{name}", n=_CONTEXT, lineterm="")


def _lines(path: Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


def main(arguments: Sequence[str]) -> int:
    """Record, or compare; 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.recordings", description=__doc__)
    parser.add_argument("what", choices=("record", "compare"))
    if parser.parse_args(arguments).what == "record":
        record(FOLDER / "before")
        return 0
    record(FOLDER / "now")
    found = list(differences(FOLDER / "before", FOLDER / "now"))
    print("\n".join(found) or "nothing differs")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
