"""Views that ops have computed before, by layout and arguments: of another tensor they need no checks again."""

from typing import Any

from ..autograd.view_history import MULTI_VIEW
from ..device.device import CPU
from ..fast_path import fast_path, keep_launch
from ..tensor.tensor import placed

MAX_CACHED_VIEWS = 4096  # of one op; then it forgets all of them


view_ops: "dict[str, ViewOp]" = {}  # by name


class ViewOp:
    """A view op, its node, and what it has found; `launch(tensor, *arguments)` is native code that looks it up.

    `cached` keeps (geometry, *arguments as checked) by (shape, strides, offset, *arguments as given). An op of
    `multiple_views` keeps a tuple of geometries, and leaves to Python what is recorded. So does a composite, whose
    `node` is None: it keeps (geometry or geometries, dtype, whether views are marked as those of one op that gives
    several). One that `retypes` reads complex numbers as "real" ones, or these as "complex"."""

    __slots__ = ("cached", "launch", "name", "node", "operands", "retypes", "multiple_views")

    def __init__(self, name: str, node: Any, *operands: str, multiple_views: bool = False, retypes: str = "") -> None:
        self.name = name
        self.node = node
        self.operands = operands
        self.multiple_views = multiple_views
        self.retypes = retypes
        self.cached: dict[Any, Any] = {}
        view_ops.setdefault(name, self)

    def __getattr__(self, name: str) -> Any:
        if name != "launch":
            raise AttributeError(name)
        return keep_launch(self, name, fast_path().view(self))

    def remember(self, source: Any, args: tuple[Any, ...], result: tuple[Any, ...]) -> None:
        try:
            if len(self.cached) >= MAX_CACHED_VIEWS:
                self.cached.clear()
            self.cached[source._shape, source._strides, source._offset, *map(without_list, args)] = result
        except TypeError:  # something that cannot be looked up among the arguments
            return

    def remember_made(self, source: Any, args: tuple[Any, ...], result: Any) -> None:
        """Keep the views that a composite has given, where they are some, outside of graphs."""
        views = result if self.multiple_views else (result,)
        if source._requires_grad or source._device is not CPU:
            return
        if not views or not all(is_part(view, source) for view in views):
            return
        marks = [view._views for view in views]
        if self.multiple_views:
            inherits = source._base is not None and source._views is not None
            if inherits or any(mark is not marks[0] for mark in marks) or marks[0] not in (None, MULTI_VIEW):
                return
        geometries = tuple([placed(view._shape, view._strides, view._offset) for view in views])
        result = geometries if self.multiple_views else geometries[0]
        self.remember(source, args, (result, source._dtype, marks[0] is MULTI_VIEW))

    def remember_as(self, source: Any, args: tuple[Any, ...], checked: tuple[Any, ...]) -> None:
        """Let other arguments find the view that is kept for `checked`, if there is one."""
        layout = (source._shape, source._strides, source._offset)
        try:
            if (cached := self.cached.get((*layout, *map(without_list, checked)))) is not None:
                self.cached[*layout, *map(without_list, args)] = cached
        except TypeError:  # something that cannot be looked up among the arguments
            return


def without_list(argument: Any) -> Any:
    return tuple(argument) if type(argument) is list else argument


def is_part(view: Any, source: Any) -> bool:
    base = source if source._base is None else source._base
    alike = view._storage is source._storage and view._dtype is source._dtype
    return alike and view is not source and view._base is base


def remember_gradient(table: dict[Any, Any], made: Any, value: Any, *known: Any) -> None:
    """What a node made of a gradient, by its layout and `known`: a view's geometry, True for itself, False else."""
    if len(table) >= MAX_CACHED_VIEWS:
        table.clear()
    base = value if value._base is None else value._base
    is_view = made._base is base and made._storage is value._storage and made._dtype is value._dtype
    view_geometry = placed(made._shape, made._strides, made._offset) if is_view else made is value
    table[value._shape, value._strides, value._offset, *known] = view_geometry
