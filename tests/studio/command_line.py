"""What the tests of commands share."""

from __future__ import annotations

from click.testing import CliRunner, Result

from studio.cli import main


def studio(*arguments: object) -> Result:
    """Run `studio` with these arguments. `stdout` and `stderr` are apart in the result."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments])
