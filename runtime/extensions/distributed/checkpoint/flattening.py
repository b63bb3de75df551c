"""Nested state under flat names: what lies at state["optimizer"]["state"][0] is "optimizer.state.0"."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

from ....tensor.tensor import TensorBase


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


Path = tuple[Any, ...]  # the keys and indices that lead to a leaf


class Index(int):
    """The number of an entry of a list or tuple; numbers may be keys of dicts, too."""


def states(state_dict: Any) -> dict[str, Any]:
    """Stateful entries are replaced by their states."""
    if not isinstance(state_dict, Mapping):
        raise TypeError(f"expected a state_dict that is a dict, but got {type(state_dict).__name__}")
    return {key: value.state_dict() if isinstance(value, Stateful) else value for key, value in state_dict.items()}


def flattened(state: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Path]]:
    """The leaves of a nested state by their names, and the way to each.

    Mappings are gone into, lists and tuples where they hold tensors or mappings; all else is a leaf.
    """
    leaves: dict[str, Any] = {}
    paths: dict[str, Path] = {}
    for path, leaf in _leaves((), state):
        name = ".".join(map(str, path))
        if name in leaves:
            raise ValueError(f"duplicated flatten key {name}: {paths[name]} and {path}")
        leaves[name], paths[name] = leaf, path
    return leaves, paths


def _leaves(path: Path, value: Any) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves((*path, key), inner)
    elif isinstance(value, list | tuple) and _has_parts(value):
        for number, inner in enumerate(value):
            yield from _leaves((*path, Index(number)), inner)
    else:
        yield path, value


def _has_parts(value: Any) -> bool:
    if isinstance(value, Mapping | TensorBase):
        return True
    return isinstance(value, list | tuple) and any(map(_has_parts, value))


def put(state: Any, path: Path, value: Any) -> None:
    for step in path[:-1]:
        state = state[step]
    if isinstance(state, tuple):
        raise TypeError(f"load(): the entry {path} is no tensor and lies in a tuple: it cannot be loaded in place")
    state[path[-1]] = value


def nested(leaves: Mapping[str, Any], paths: Mapping[str, Path]) -> Any:
    """Dicts, and lists where lists or tuples were."""
    results: dict[Any, Any] = {}
    for name, leaf in leaves.items():
        inner = results
        for step in paths[name][:-1]:
            inner = inner.setdefault(step, {})
        inner[paths[name][-1]] = leaf
    return _with_lists(results)


def _with_lists(value: Any) -> Any:
    if type(value) is not dict:
        return value
    inner = {key: _with_lists(one) for key, one in value.items()}
    is_list = bool(inner) and all(isinstance(key, Index) for key in inner)
    return [inner[key] for key in sorted(inner)] if is_list else inner


def plain_path(path: Path) -> list[Any]:
    return [[int(step)] if isinstance(step, Index) else step for step in path]


def path_of(plain: list[Any]) -> Path:
    return tuple([Index(step[0]) if isinstance(step, list) else step for step in plain])
