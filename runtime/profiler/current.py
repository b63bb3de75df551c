"""What is being recorded into, if anything. Everything that asks for it is imported with specgrad, so this is small."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..locks import new_lock

if TYPE_CHECKING:
    from .session import Session

OP, ENGINE, NODE, RANGE = "op", "engine", "node", "range"  # kinds of events


class Current:
    """The session that is being recorded into, and the recorder that began and will end it; both None otherwise."""

    __slots__ = ("lock", "owner", "session")

    def __init__(self) -> None:
        self.session: Session | None = None
        self.owner: Any = None
        self.lock = new_lock()


current = Current()
