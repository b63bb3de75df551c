"""Anomaly mode: every op notes where it was called, and a backward that fails, or gives nan, names that place."""

import traceback
from collections.abc import Sequence
from typing import Any

from ..errors import PACKAGE, warn_user
from ..tensor.memory_format import strided
from ..tensor.observers import Watcher, watch
from ..tensor.tensor import compute_array
from ..thread_state import PerThread
from .engine import BackwardPass
from .node import Node, recording_node

_NAME = "anomaly mode"
_INDUCED = "Traceback of forward call that induced the previous calculation:\n"
_CALL, _PARENT = "traceback_", "parent_"  # where PyTorch keeps them in a node's metadata


class _Running(PerThread):
    """What is recorded meanwhile comes from the node."""

    def __init__(self) -> None:
        self.node: Node | None = None


_running = _Running()


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

    The place is in a note to the error and in a warning, with the entry of the spec; under `create_graph` a node that
    backward has made names the node of the forward pass that it comes from, too.

    Args:
        check_nan: whether a gradient that has nan in it is an error.

    Example:
        >>> import specgrad as sg
        >>> import warnings
        >>> warnings.simplefilter("ignore")  # which says that it is slow
        >>> with sg.autograd.detect_anomaly():
        ...     print(sg.is_anomaly_enabled())
        True
    """

    def __init__(self, check_nan: bool = True) -> None:
        warn_user(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging."
        )
        self.check_nan = bool(check_nan)
        self.previous = (False, True)

    def __enter__(self) -> None:
        self.previous = (is_anomaly_enabled(), AnomalyPass.check_nan)
        _turn(True, self.check_nan)


def set_anomaly_enabled(enabled: bool, check_nan: bool = True) -> None:
    """Turn anomaly mode on or off.

    Args:
        enabled: which of both.
        check_nan: whether backward looks for nan.
    """
    set_detect_anomaly(enabled, check_nan)


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
    """With the stack of the user's call, and the node that runs at the moment."""
    node = recording_node(result)
    if node is not None:
        node.metadata[_CALL] = _stack()
        if _running.node is not None:
            node.metadata[_PARENT] = _running.node


def _stack() -> list[str]:
    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(PACKAGE):
        frames.pop()
    return traceback.format_list(frames)


class AnomalyPass(BackwardPass):
    __slots__ = ()
    running: Any
    check_nan = True

    def step(self, node: Node, grad: Any) -> tuple[Any, Any]:
        before, _running.node, self.running = _running.node, node, node
        try:
            return super().step(node, grad)
        except Exception as error:
            for text in _origins(node):
                error.add_note(text)
                warn_user(text)
            raise
        finally:
            _running.node = before

    def follow(self, edges: Sequence[Any], grads: Sequence[Any], owned: bool, incoming: Any = None) -> tuple[Any, Any]:
        self.look(grads)
        return super().follow(edges, grads, owned, incoming)

    def hold_back(self, edges: Any, grads: Any, owned: bool = False, incoming: Any = None, order: Any = ()) -> Any:
        self.look(grads)
        return super().hold_back(edges, grads, owned, incoming, order)

    def look(self, grads: Sequence[Any]) -> None:
        node: Any = getattr(self, "running", None)
        for index, grad in enumerate(grads if self.check_nan and node is not None else ()):
            if grad is None:
                continue
            while grad._vmap_level is not None:  # one example of a batch: look at the whole
                grad = grad.value
            array = compute_array(grad if grad.layout is strided else grad._values())
            if (array != array).any():
                raise RuntimeError(
                    f"Function '{node.name()}' returned nan values in its {index}th output: {_named(node)}"
                )


def _named(node: Node) -> str:
    location = f" ({node.spec_location})" if node.spec_location else ""
    return f"{node.op_name or node.name()}{location}"


def _origins(node: Node) -> list[str]:
    frames = node.metadata.get(_CALL)
    error = f"Error detected in {node.name()}: {_named(node)}."
    if frames is None:
        hint = "Enable detect anomaly during forward pass for more information."
        return [f"{error} No forward pass information available. {hint}"]
    strings = [f"{error} Traceback of forward call that caused the error:\n" + "".join(frames)]
    parent = node.metadata.get(_PARENT)
    while parent is not None:
        call = parent.metadata.get(_CALL)
        strings.append(
            f"\n\nPrevious calculation was induced by {parent.name()}: {_named(parent)}. "
            + ("No forward pass information available." if call is None else _INDUCED + "".join(call))
        )
        parent = parent.metadata.get(_PARENT)
    return strings
