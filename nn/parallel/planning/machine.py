"""A machine as plans see it: its cores, what its ranks' messages cost, and a file of that."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from ....runtime.saving.whole_file import replacing
from .costs import Network


@dataclass(frozen=True)
class Machine:
    """Machines of one kind, and what is between them.

    Args:
        cores: of one machine; a rank has one.
        inside: between ranks of one machine.
        between: between ranks of different machines.
        core_share: the part of a collective's time in which it needs the rank's own core, so that the rank cannot
            compute; 1 where the core moves all bytes, 0 where a network card does.
    """

    cores: int
    inside: Network
    between: Network
    core_share: float

    def network(self, ranks: int) -> Network:
        """What a collective of so many ranks goes through at its slowest."""
        return self.inside if ranks <= self.cores else self.between

    def rounds(self, ranks: int, multi_node: bool) -> float:
        """How many ranks share a core: more than 1 only where all are on one machine, and not on `many`."""
        return 1.0 if multi_node else max(1.0, ranks / self.cores)


def write(path: Path, machine: Machine) -> None:
    """Keep the constants in a file."""
    with replacing(str(path)) as file:
        file.write(json.dumps(asdict(machine), indent=1).encode())


def read(path: Path) -> Machine:
    """The constants of a file.

    Raises:
        ValueError: it is no such file.
    """
    try:
        result = json.loads(path.read_text(encoding="utf-8"))
        networks = {name: Network(*map(float, result.pop(name))) for name in ("inside", "between")}
        return Machine(int(result.pop("cores")), core_share=float(result.pop("core_share")), **networks, **result)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"plan: {path} is no file that --measure --save has written: {error!r}") from None
