"""`Stateful`: what has a state of its own that checkpoints hold."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable


@runtime_checkable
class Stateful(Protocol):
    """Anything with `state_dict` and `load_state_dict`, as modules and optimizers have.

    Example:
        >>> import specgrad as sg
        >>> from specgrad.distributed.checkpoint import Stateful
        >>> isinstance(sg.nn.Linear(1, 1), Stateful), isinstance({}, Stateful)
        (True, False)
    """

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint is to hold."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what a checkpoint has held."""
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)
