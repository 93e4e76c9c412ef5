"""What judges said, word for word, found again for the same question to the same model, whichever blueprint asks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.store.database import Database, moment

if TYPE_CHECKING:
    from engine.judging.judgement import Judgement


class Verdicts(Database):
    """Judgements by their key."""

    def keep_judgement(self, judgement: Judgement) -> None:
        """Keep what a judge said, request and reply word for word. One without a verdict is not kept: it is asked anew.

        No request holds a key: those are added when it is sent.
        """
        from engine.judging.keeping import judgement_text  # here, as judging is loaded only by runs with judges

        if judgement.verdict is None:
            return
        with self.writing() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO verdict (key, judgement, created) VALUES (?, ?, ?)",
                (judgement.key, judgement_text(judgement), moment()),
            )

    def judgement(self, key: str) -> Judgement | None:
        """What was kept under a `judgement_key`, None where there is nothing that this version can read."""
        from engine.judging.keeping import judgement_of

        with self.reading() as connection:
            row = connection.execute("SELECT judgement FROM verdict WHERE key = ?", (key,)).fetchone()
        return None if row is None else judgement_of(row[0])
