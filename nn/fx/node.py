"""One step of a graph: an argument, a call, a look-up, or the result."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from ...runtime.errors import ArgumentError, type_name
from ...runtime.extensions.torch_compat.overrides_api import _assert
from .names import qualified_name
from .node_arguments import AnyNode, GraphLike, immutable_dict, map_aggregate, map_arg

Target = Callable[..., Any] | str
Argument = Any  # nodes, numbers, strings, dtypes ..., nested in tuples, lists, dicts and slices
OPS = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")
_impure: set[Any] = {operator.setitem, _assert}


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a function whose calls stay in a graph also where nobody uses what they return; gives the function.

    Args:
        fn: the function.

    Example:
        >>> sg.fx.has_side_effect(print) is print
        True
    """
    _impure.add(fn)
    return fn


class Node(AnyNode):
    """One step of a Graph; made by the graph's methods.

    Args:
        graph: the graph.
        name: the name of its result in generated code.
        op, target, args, kwargs: as the attributes.
        return_type: the annotation in generated code, or None.

    Attributes:
        op: `placeholder` (an argument), `get_attr`, `call_function`, `call_module`, `call_method` or `output`.
        target: the function, or the name of the argument, method, module or attribute.
        args, kwargs: of the call; other nodes stand for their results.
        users: the nodes that use this one's result, as keys.
        meta: a dict for whoever looks at the graph.
        type: the annotation in generated code, or None.
    """

    def __init__(
        self,
        graph: GraphLike,
        name: str,
        op: str,
        target: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        return_type: Any = None,
    ) -> None:
        if op not in OPS:
            raise AssertionError(f"op {op!r} is none of {OPS}")
        if op == "call_function" and not callable(target):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type_name(target)} but a Callable "
                "is expected"
            )
        if op not in ("call_function", "root") and not isinstance(target, str):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type {type_name(target)} but a str is "
                "expected"
            )
        self.graph: Any = graph  # a Graph, all of whose methods are there for those who have the node
        self.name = name
        self.op = op
        self.target = target
        self.type = return_type
        self.users: dict[Node, None] = {}
        self.meta: dict[str, Any] = {}
        self._input_nodes: dict[Node, None] = {}
        self._args: tuple[Any, ...] = ()
        self._kwargs: dict[str, Any] = immutable_dict()
        self._prev = self._next = self
        self._erased = False
        self._set(args, kwargs)

    # ---- its place ----

    @property
    def next(self) -> Node:
        """The node behind this one."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Move the node `x` of the same graph to the place before this one; a TypeError for what is no Node."""
        _check_node("prepend", x)
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._unlink()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Move the node `x` of the same graph to the place behind this one; a TypeError for what is no Node."""
        _check_node("append", x)
        self._next.prepend(x)

    def _unlink(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def __lt__(self, other: Node) -> bool:
        return self._index() < other._index() if isinstance(other, Node) else NotImplemented

    def _index(self) -> int:
        return next(position for position, node in enumerate(self.graph.nodes) if node is self)

    # ---- its arguments ----

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments by place; assign others, as these cannot be changed."""
        return self._args

    @args.setter
    def args(self, a: Any) -> None:
        self._set(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments by name; assign others, as these cannot be changed."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: Any) -> None:
        self._set(self._args, k)

    def _set(self, args: Sequence[Any], kwargs: Any) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        used: dict[Node, None] = {}
        self._input_nodes = used

        def note(node: Node) -> Node:
            used.setdefault(node)
            node.users.setdefault(self)
            return node

        self._args = map_arg(tuple(args), note)
        self._kwargs = map_arg(immutable_dict(kwargs), note)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes among the arguments, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Any) -> None:
        """Put another argument `arg` at the place `idx`.

        A TypeError where the place is no int, an IndexError where no argument is there.
        """
        args = list(self._args)
        if not isinstance(idx, int):
            raise ArgumentError(f"update_arg(): argument 'idx' must be int, not {type_name(idx)}")
        if not -len(args) <= idx < len(args):
            raise IndexError(f"update_arg(): there is no argument {idx}, the node has {len(args)}")
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Any) -> None:
        """Put a further argument `arg` before the place `idx`, between 0 and the number of arguments."""
        if not isinstance(idx, int) or not 0 <= idx <= len(self._args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Any) -> None:
        """Put another argument `arg` under the name `key`."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Use the node `new_input` wherever the arguments name `old_input`."""
        self._set(*map_arg((self._args, self._kwargs), lambda n: new_input if n is old_input else n))

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] = lambda user: True,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Let the users of this node use `replace_with`; the nodes that were changed.

        `delete_user_cb` says of a user whether it is changed. With `propagate_meta` the other node gets this one's
        `meta`, for which its own must be empty.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already "
                    "has .meta keys"
                )
            replace_with.meta.update(self.meta)
        changed = [user for user in list(self.users) if delete_user_cb(user)]
        for user in changed:
            user.replace_input_with(self, replace_with)
        return changed

    # ---- what it is ----

    @property
    def stack_trace(self) -> str | None:
        """Where the program made the step, where the tracer noted that."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the step does more than give a result, so that it stays also where nobody uses that.

        `impure_random` is accepted; what draws numbers is known by the mark of `has_side_effect` alone.
        """
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            name, module = getattr(self.target, "__name__", ""), getattr(self.target, "__module__", "")
            in_place = name.endswith("_") and not name.endswith("__") and module != "_operator"
            return in_place or self.target in _impure
        if self.op == "call_method":
            return self.target.endswith("_") and not self.target.endswith("__")
        if self.op == "call_module" and self.graph.owning_module is not None:
            return bool(getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure", False))
        return False

    def normalized_arguments(self, root: Any, arg_types: Any = None, kwarg_types: Any = None, **options: Any) -> Any:
        """The arguments by name, by the signature of what is called: (args, kwargs), or None where that is not known.

        Targets are looked up in `root`. PyTorch's `arg_types` and `kwarg_types` are accepted, as overloads are told
        apart by the call itself, and `normalize_to_only_use_kwargs`, which is what happens.
        """
        from .node_arguments import normalized

        return normalized(self, root)

    def format_node(
        self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None
    ) -> Any:
        """The step in one line of text; None for an argument whose name is collected, in the list `placeholder_names`.

        The list `maybe_return_typename` takes the annotation of the result. A TypeError for what is no list.
        """
        if placeholder_names is not None and not isinstance(placeholder_names, list):
            raise TypeError(f"format_node(): placeholder_names must be a list, got {type(placeholder_names).__name__}")
        start = f"%{self.name} : {_type_name(self.type)}[num_users={len(self.users)}] = {self.op}"
        if self.op == "placeholder":
            if placeholder_names is not None:
                placeholder_names.append(self.target + _annotation(self.type))
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"{start}[target={self.target}]{default}"
        if self.op == "output":
            if self.type is not None and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_name(self.type)}"
            return f"return {self.args[0]}"
        target = _target_name(self.target)
        if self.op == "get_attr":
            return f"{start}[target={target}]"
        return f"{start}[target={target}](args = {_shown(self.args)}, kwargs = {_shown(self.kwargs)})"

    def __repr__(self) -> str:
        return self.name

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        raise RuntimeError("a Node is copied by Graph.node_copy, or with its graph")


def _check_node(method: str, x: Any) -> None:
    if not isinstance(x, Node):
        raise ArgumentError(f"Node.{method}(): argument 'x' must be Node, not {type_name(x)}")


def _type_name(kind: Any) -> str:
    return "" if kind is None else f"{getattr(kind, '__name__', kind)} "


def _annotation(kind: Any) -> str:
    return "" if kind is None else f" : {getattr(kind, '__name__', kind)}"


def _shown(value: Any) -> str:
    if isinstance(value, Node):
        return f"%{value.name}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_shown(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))}{',' if len(value) == 1 else ''})"
    return str(value)


def _target_name(target: Any) -> str:
    if isinstance(target, str):
        return target
    module = getattr(target, "__module__", "")
    name = getattr(target, "__name__", repr(target))
    return {"_operator": f"operator.{name}", "builtins": f"builtins.{name}"}.get(module) or qualified_name(target)


__all__ = ["Argument", "Node", "Target", "has_side_effect", "map_aggregate", "map_arg"]
