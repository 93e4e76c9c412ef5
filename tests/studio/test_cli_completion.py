"""What the shell completes: commands, files, slugs of rules, names of functions."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

from engine.functions import ALL as FUNCTIONS
from engine.rules import ALL
from studio.cli import main
from studio.commands import COMMANDS

SLUGS = [rule.slug for rule in ALL]
CODES = [rule.code for rule in ALL]
STUDIO = Path(sys.executable).with_name("studio")


def completed(*arguments: str) -> list[str]:
    """What is offered for the last of `arguments`, in Fish, which shows the help beside."""
    *written, incomplete = arguments
    completion = FishComplete(main, {}, "studio", "_STUDIO_COMPLETE")
    return [item.value for item in completion.get_completions(list(written), incomplete)]


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_an_option_that_takes_rules_completes_their_slugs(option: str) -> None:
    assert completed("check", option, "") == SLUGS
    assert completed("check", option, "quoted-f") == ["quoted-function"]
    assert completed("check", ".", option, "quoted-f") == ["quoted-function"]
    assert completed("check", option, "zzz") == []


def test_codes_are_completed_once_a_capital_is_typed() -> None:
    assert completed("check", "--select", "Y") == [code for code in CODES if code.startswith("Y")]


def test_each_of_several_names_is_completed() -> None:
    assert completed("check", "--select", "no-rubric,quoted-f") == ["no-rubric,quoted-function"]


def test_a_name_that_stands_there_is_not_offered_again() -> None:
    assert completed("check", "--select", "quoted-function,quoted-f") == []
    assert completed("check", "--select", "quoted-function", "--select", "quoted-f") == []
    assert completed("check", "--select", "Y003", "--select", "quoted-f") == []


def test_rules_completes_the_slug_of_a_page() -> None:
    assert completed("rules", "") == SLUGS
    assert completed("rules", "unused-s") == ["unused-suppression"]


def test_functions_completes_names_with_and_without_the_sign() -> None:
    assert completed("functions", "") == [name for each in FUNCTIONS for name in each.names]
    assert "icontains" in completed("functions", "ico")
    assert "$icontains" in completed("functions", "$ico")


def test_a_rule_is_offered_with_what_it_looks_for() -> None:
    completion = ZshComplete(main, {}, "studio", "_STUDIO_COMPLETE")
    [item] = completion.get_completions(["rules"], "quoted-f")
    assert item.help == next(rule.summary for rule in ALL if rule.slug == "quoted-function")


def test_the_first_word_is_a_command_or_a_file() -> None:
    assert completed("") == [*COMMANDS, ""]
    assert completed("che") == ["check", "che"]
    completion = ShellComplete(main, {}, "studio", "_STUDIO_COMPLETE")
    assert [item.type for item in completion.get_completions([], "bluepr")] == ["file"]


@pytest.mark.parametrize("words", [("chek", ""), ("chek", "--sel"), ("no such thing", "x"), ("check", "--selct", "a")])
def test_a_word_that_means_nothing_breaks_no_completion(words: tuple[str, ...]) -> None:
    assert isinstance(completed(*words), list)


@pytest.mark.parametrize(
    ("option", "choices"),
    [
        ("--fail-on", ["error", "warning", "hint"]),
        ("--format", ["text", "json", "github", "sarif"]),
        ("--for", ["weval"]),
    ],
)
def test_choices_are_completed(option: str, choices: list[str]) -> None:
    assert completed("check", option, "") == choices


@pytest.mark.parametrize("words", [["check", ""], ["check", "--baseline", ""], ["check", "--stdin-filename", ""]])
def test_files_are_completed_where_a_file_is_named(words: list[str]) -> None:
    completion = ShellComplete(main, {}, "studio", "_STUDIO_COMPLETE")
    assert [item.type for item in completion.get_completions(words[:-1], words[-1])] == ["file"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="Bash is not installed")
def test_the_console_command_completes_for_bash() -> None:
    words = "studio check --select quoted-f"
    environment = {**os.environ, "_STUDIO_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "3"}
    done = subprocess.run([STUDIO], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout == "plain,quoted-function\n"


@pytest.mark.parametrize("shell", [BashComplete, ZshComplete, FishComplete], ids=lambda shell: shell.name)
def test_the_script_for_a_shell_calls_the_studio(shell: type[ShellComplete]) -> None:
    assert f"_STUDIO_COMPLETE={shell.name}_complete" in shell(
        main, {}, "studio", "_STUDIO_COMPLETE"
    ).source_template % {
        "complete_func": "f",
        "complete_var": "_STUDIO_COMPLETE",
        "prog_name": "studio",
    }
