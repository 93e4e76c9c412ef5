"""What the parts of a session share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from engine.text.record import Record
from studio.session.changes import ChangeStream
from studio.session.database_messages import DatabaseMessages
from studio.session.document import Document
from studio.session.host import Host
from studio.session.resources import Resources
from studio.session.session_tasks import Tasks


class SessionContext(Record):
    """The open document, and the means of every part of its session.

    `collections` is the folder of the model collections; None for any `models` folder above the file.
    `database_messages` tells the author of errors of the database.
    `before_run` is awaited before anything runs: what runs could end the process.
    """

    document: Document
    host: Host
    resources: Resources
    tasks: Tasks
    changes: ChangeStream
    database_messages: DatabaseMessages
    collections: Path | None = None
    before_run: Callable[[], Awaitable[None]] | None = None
