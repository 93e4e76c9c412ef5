"""When answers and wordings were first seen, so that a test on fresh answers can be told from one on known ones.

An answer is *shown* when it, or a verdict on it, is on the screen or printed, and *read* when its text is. That is
recorded with a time only for answers that a model gave here since the recording began. Of all others it is unknown who
saw them before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from engine.blueprint import Block, Prompt
from engine.digests import text_digest
from engine.functions import point_text
from engine.scoring.placement import place as place_points
from engine.store.database import Database, restored, storable, timestamp
from engine.store.prompt_place import PromptPlace, place_key

UNKNOWN = ""
"""In the place of a time: it is not known when an answer was first shown."""

_TEXTS_AT_ONCE = 500


def wordings_of(prompt: Prompt) -> tuple[tuple[Block, str], ...]:
    """The points of a prompt, by their blocks and texts in results."""
    return tuple((placed.rubric.block, point_text(placed.point)) for placed in place_points(prompt))


class ShownAnswers(Database):
    """The first time that answers were shown, and since when points have their wording, by prompt."""

    def mark_shown(self, place: PromptPlace, subjects: Iterable[str], *, read: bool = True) -> None:
        """Record that these answers, by their text, are shown now, or with `read` are read. The first time counts."""
        with self.writing() as connection:
            (began,) = connection.execute("SELECT began FROM showing_recorded").fetchone()
            for subject in subjects:
                first, others = connection.execute(
                    "SELECT min(response.created), total(coalesce(run.source, '') NOT LIKE '[\"model\"%') FROM response"
                    " LEFT JOIN run ON run.response = response.id"
                    " WHERE response.blueprint = ? AND response.prompt = ? AND response.subject = ?",
                    (*place_key(place), storable(subject)),
                ).fetchone()
                is_known = first is not None and first > began and not others
                connection.execute(
                    "INSERT INTO shown_answer (blueprint, prompt, subject_digest, first, is_read)"
                    " VALUES (?, ?, ?, ?, ?) ON CONFLICT (blueprint, prompt, subject_digest)"
                    " DO UPDATE SET is_read = max(is_read, excluded.is_read)",
                    (*place_key(place), text_digest(subject), timestamp() if is_known else UNKNOWN, read),
                )

    def places_of(self, subjects: Iterable[str]) -> tuple[tuple[PromptPlace, str], ...]:
        """The prompts to which these texts are stored as answers, each with the text: for files that name no place."""
        wanted = list(dict.fromkeys(map(storable, subjects)))
        found: list[tuple[PromptPlace, str]] = []
        with self.reading() as connection:
            for start in range(0, len(wanted), _TEXTS_AT_ONCE):
                some = wanted[start : start + _TEXTS_AT_ONCE]
                rows = connection.execute(
                    "SELECT DISTINCT blueprint, prompt, subject FROM response"
                    f" WHERE subject IN ({', '.join('?' * len(some))})",
                    some,
                ).fetchall()
                found += [(PromptPlace(restored(row[0]), restored(row[1])), restored(row[2])) for row in rows]
        return tuple(found)

    def first_shown(self, place: PromptPlace) -> Mapping[str, str]:
        """When each answer was first shown, by its digest; `UNKNOWN` where that is not known."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT subject_digest, first FROM shown_answer WHERE blueprint = ? AND prompt = ?", place_key(place)
            ).fetchall()
        return dict(rows)

    def read_of(self, blueprint: str) -> Mapping[str, frozenset[str]]:
        """The digests of the answers that were read of a blueprint, by `PromptPlace.prompt`."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT prompt, subject_digest FROM shown_answer WHERE blueprint = ? AND is_read",
                (storable(blueprint),),
            ).fetchall()
        found: dict[str, set[str]] = {}
        for prompt, digest in rows:
            found.setdefault(restored(prompt), set()).add(digest)
        return {prompt: frozenset(digests) for prompt, digests in found.items()}

    def note_wordings(self, place: PromptPlace, points: Iterable[tuple[Block, str]]) -> None:
        """Record that points, by their blocks and texts in results, have this wording now. The first time counts."""
        with self.writing() as connection:
            connection.executemany(
                "INSERT OR IGNORE INTO point_wording (blueprint, prompt, block, name, since) VALUES (?, ?, ?, ?, ?)",
                [(*place_key(place), block, storable(name), timestamp()) for block, name in points],
            )

    def renew_wording(self, place: PromptPlace, block: Block, name: str) -> None:
        """Record that a point has an earlier wording again: it was chosen knowing what was shown until now."""
        with self.writing() as connection:
            connection.execute(
                "UPDATE point_wording SET since = ? WHERE blueprint = ? AND prompt = ? AND block = ? AND name = ?",
                (timestamp(), *place_key(place), block, storable(name)),
            )

    def wordings_since(self, place: PromptPlace) -> Mapping[tuple[Block, str], str]:
        """Since when each wording of a point is known, by block and text in results."""
        with self.reading() as connection:
            rows = connection.execute(
                "SELECT block, name, since FROM point_wording WHERE blueprint = ? AND prompt = ?", place_key(place)
            ).fetchall()
        return {(Block(block), restored(name)): since for block, name, since in rows}
