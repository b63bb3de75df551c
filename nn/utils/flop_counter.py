"""FlopCounterMode: how many operations the products of a program take, by module and by op."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from ...runtime.extensions.profiler.events import contraction
from ...runtime.methods.argument_guard import explained
from ...runtime.tensor.observers import NOT_HANDLED, OpCall, Watcher, watch
from ...runtime.tensor.tensor import TensorBase
from ..modules.module.base import Module
from ..modules.module.hooks import register_module_forward_hook, register_module_forward_pre_hook


class FlopCounterMode:
    """A block in which the operations of products are counted: two for each product of two numbers.

    Counted are products of matrices, convolutions and attention, forward and backward; backward only for all together.

    Args:
        mods: has no meaning any more.
        depth: how many levels of modules the table shows.
        display: whether the table is printed at the block's end.
        custom_mapping: by function, another one that gives the number for its arguments, and `out_val=` its result.

    Example:
        >>> with sg.utils.flop_counter.FlopCounterMode(display=False) as counter:
        ...     y = sg.nn.Linear(3, 4)(sg.ones(2, 3))
        >>> counter.get_total_flops()
        48
    """

    @explained
    def __init__(
        self,
        mods: Any = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Callable[..., int]] | None = None,
    ) -> None:
        self.depth, self.display = depth, display
        self.custom = {_name(op): count for op, count in (custom_mapping or {}).items()}
        self.flop_counts: dict[str, dict[str, int]] = {}
        self._names: dict[int, str] = {}
        self._stack: list[str] = []
        self._inside = False

    def __enter__(self) -> "FlopCounterMode":
        self.flop_counts = defaultdict(lambda: defaultdict(int))
        self._handles = [
            register_module_forward_pre_hook(self._begin),
            register_module_forward_hook(self._end, always_call=True),
        ]
        watch.enter(f"flop counter {id(self)}", Watcher(intercept=self._count, order=-1))
        return self

    def __exit__(self, *_: object) -> None:
        watch.leave(f"flop counter {id(self)}")
        for handle in self._handles:
            handle.remove()
        if self.display:
            print(self.get_table(self.depth))

    def _begin(self, module: Module, args: Any) -> None:
        if id(module) not in self._names:
            root = type(module).__name__
            for name, inner in module.named_modules():
                self._names[id(inner)] = f"{root}.{name}" if name else root
        self._stack.append(self._names[id(module)])

    def _end(self, module: Module, args: Any, output: Any) -> None:
        if self._stack:
            self._stack.pop()

    def _count(self, call: OpCall) -> Any:
        if self._inside:
            return NOT_HANDLED
        name = call.name.partition(".")[0]
        custom = self.custom.get(name)
        if custom is None and contraction(name) is None:
            return NOT_HANDLED
        self._inside = True  # what is part of the op is counted with it
        try:
            result = call.proceed()
            number = (
                custom(*call.args, **call.kwargs, out_val=result) if custom else _operations(name, call.args, result)
            )
        finally:
            self._inside = False
        for module_name in {"Global", *self._stack}:
            self.flop_counts[module_name][name] += number
        return result

    def get_total_flops(self) -> int:
        """The number of all operations."""
        return sum(self.flop_counts.get("Global", {}).values())

    def get_flop_counts(self) -> dict[str, dict[str, int]]:
        """By module (`Global` for all) and by op, the number of operations."""
        return {module_name: dict(counts) for module_name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The numbers of modules, down to a `depth` of levels, and of all, as text."""
        levels = self.depth if depth is None else depth
        total = max(self.get_total_flops(), 1)
        shown = [
            module_name
            for module_name in sorted(self.flop_counts)
            if module_name != "Global" and module_name.count(".") < levels
        ]
        rows = [
            (module_name, sum(self.flop_counts[module_name].values()))
            for module_name in ["Global", *shown]
            if module_name in self.flop_counts
        ]
        width = max((len(module_name) for module_name, _ in rows), default=6)
        return "\n".join(
            f"{module_name:<{width}}  {number:>15,}  {number / total:>7.2%}" for module_name, number in rows
        )


def _name(op: Any) -> str:
    return str(getattr(op, "__name__", op)).partition(".")[0]


def _operations(name: str, args: Any, result: Any) -> int:
    first = result[0] if isinstance(result, tuple) else result
    shapes = [tuple(value.shape) if isinstance(value, TensorBase) else () for value in args]
    rule = contraction(name)
    assert rule is not None
    return rule(tuple(first.shape), shapes)
