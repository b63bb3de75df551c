"""Where PyTorch keeps `Stateful`."""

from ...runtime.distributed.checkpoint.stateful import Stateful, StatefulT

__all__ = ["Stateful", "StatefulT"]
