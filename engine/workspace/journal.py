"""The recovery journal: unsaved text, in one small file per open blueprint."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.atomic import write_atomically
from engine.places import state_dir


@dataclass(frozen=True, slots=True)
class Recovered:
    """Unsaved text of an earlier session. `base_digest` is the digest of the file that was being edited."""

    path: Path
    text: str
    base_digest: str | None
    written: datetime


class Journal:
    """The newest unsaved text of each file. Each write replaces the previous one atomically."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or state_dir() / "journal"

    def write(self, path: Path, text: str, base_digest: str | None) -> None:
        """Store `text` as the unsaved text of `path`. Raises `OSError`."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        entry = {
            "path": str(path.absolute()),
            "text": text,
            "base_digest": base_digest,
            "written": datetime.now(UTC).isoformat(),
        }
        write_atomically(self._entry(path), json.dumps(entry).encode(), mode=0o600)

    def clear(self, path: Path) -> None:
        """Remove the entry of `path`, once it was saved or its changes were discarded."""
        self._entry(path).unlink(missing_ok=True)

    def pending(self, path: Path) -> Recovered | None:
        """The unsaved text that an earlier session left for `path`, or None if there is none that can be read."""
        try:
            entry = json.loads(self._entry(path).read_bytes())
            return Recovered(
                Path(entry["path"]), entry["text"], entry["base_digest"], datetime.fromisoformat(entry["written"])
            )
        except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError):
            return None

    def _entry(self, path: Path) -> Path:
        return (
            self._folder / f"{hashlib.sha256(str(path.absolute()).encode('utf-8', 'surrogateescape')).hexdigest()}.json"
        )
