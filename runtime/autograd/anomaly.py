"""Anomaly mode: every op notes where it was called, and a backward that fails, or gives nan, names that place."""

from __future__ import annotations

import os
import traceback
import warnings
from collections.abc import Sequence
from typing import Any

from ..tensor import TensorBase, compute_array
from .engine import BackwardPass
from .grad_mode import Watcher, watch
from .node import OUTPUT, Node

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(__file__))) + os.sep
_NAME = "anomaly mode"
_KEY = "traceback_"  # where PyTorch keeps it in a node's metadata


class set_detect_anomaly:
    """Anomaly mode on or off: takes effect at once, and as a context manager it is undone at the end.

    Args:
        mode: whether ops note where they are called.
        check_nan: whether a gradient that has nan in it is an error.

    Example:
        >>> import specgrad as sg
        >>> with sg.autograd.set_detect_anomaly(True):
        ...     print(sg.is_anomaly_enabled())
        True
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.previous = (is_anomaly_enabled(), AnomalyPass.check_nan)
        _turn(bool(mode), bool(check_nan))

    def __enter__(self) -> None:
        """It took effect when it was made."""

    def __exit__(self, *_: object) -> None:
        _turn(*self.previous)


class detect_anomaly(set_detect_anomaly):
    """A context manager for anomaly mode: ops note where they are called, and backward names that place when it fails.

    Args:
        check_nan: whether a gradient that has nan in it is an error.
    """

    def __init__(self, check_nan: bool = True) -> None:
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )
        super().__init__(True, check_nan)


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return _NAME in watch.watchers


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode, where it is on, looks for nan."""
    return AnomalyPass.check_nan


def _turn(on: bool, check_nan: bool) -> None:
    AnomalyPass.check_nan = check_nan
    watch.turn(_NAME, Watcher(note=note_call, backward_pass=AnomalyPass) if on else None)


def note_call(result: Any) -> None:
    """Keep the stack of the user's call with the node that made `result`."""
    for output in result if isinstance(result, tuple) else (result,):
        edge = output._fn if isinstance(output, TensorBase) else None
        if edge is not None:
            node = edge.node if edge.edge_kind == OUTPUT else edge
            node.metadata[_KEY] = _stack()
            return


def _stack() -> list[str]:
    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(_PACKAGE):
        frames.pop()
    return traceback.format_list(frames)


class AnomalyPass(BackwardPass):
    """A backward pass that explains errors, and makes nan one."""

    __slots__ = ()
    running: Node
    check_nan = True

    def step(self, node: Node, grad: Any) -> tuple[Any, Any]:
        """Run one node; an error of its own gets the place of the forward call."""
        self.running = node
        try:
            return super().step(node, grad)
        except Exception as error:
            error.add_note(f"Error detected in {_named(node)}. {_origin(node)}")
            raise

    def follow(self, edges: Sequence[Any], grads: Sequence[Any], owned: bool, incoming: Any = None) -> tuple[Any, Any]:
        """Look at the gradients of a node before they are handed on."""
        node = getattr(self, "running", None)
        if self.check_nan and node is not None:
            for index, grad in enumerate(grads):
                if grad is not None and _has_nan(grad):
                    raise RuntimeError(
                        f"Function '{node.name()}' returned nan values in its {index}th output: {_named(node)}"
                    )
        return super().follow(edges, grads, owned, incoming)


def _has_nan(grad: Any) -> bool:
    array = compute_array(grad)
    return bool((array != array).any())


def _named(node: Node) -> str:
    place = f" ({node.spec_place})" if node.spec_place else ""
    return f"{node.op_name or node.name()}{place}"


def _origin(node: Node) -> str:
    try:
        frames = node.metadata[_KEY]
    except KeyError:
        return "No forward pass information: anomaly mode was off when the op was called."
    return "Traceback of forward call that caused the error:\n" + "".join(frames)
