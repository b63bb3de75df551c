"""`FunctionCtx`: what forward and backward of one call of a custom Function share.

It is apart from the call's graph node so that any attribute may be put on it; it knows the node only weakly."""

import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import RefusedValueError, type_name
from ..tensor.grad_mode import current_version
from ..tensor.tensor import TensorBase
from .graph import SavedTensor
from .saved_tensor_hooks import pack_saved
from .saved_tensors import Packed, alias_of, edge_from, version_of

OF_THE_NODE = frozenset(
    ("name", "next_functions", "metadata", "register_hook", "register_prehook", "_sequence_nr", "_raw_saved_tensors")
)


class FunctionCtx:
    """The state that forward and backward of one call share: saved tensors, flags, attributes that the user sets.

    Args:
        needs_input_grad: as the attribute; set by `Function.apply`.

    Attributes:
        needs_input_grad: for each argument of forward, whether it requires grad.
        saved_tensors: what `save_for_backward` kept; while `jvp` runs, what `save_for_forward` kept.
    """

    # Defaults on the class: a call's own dictionary has only what the call has set.
    to_save: Any = ()
    saved_for_forward: Any = None
    dirty_tensors: tuple[Any, ...] = ()
    non_differentiable: tuple[Any, ...] = ()
    materialize_grads = True
    _saved: Any = ()  # what `to_save` named, packed by the hooks on saved tensors
    _versions: tuple[int, ...] = ()  # the version of each of `_saved` when it was saved
    _saved_outputs: dict[int, int] = {}  # index in `_saved` -> index of the output that is saved there
    _node: Any = None  # a weak reference to the call's graph node; None for a call that is not recorded
    _forward_saved: Any = None  # replaces `saved_tensors` while `jvp` runs, and in vmap's contexts of one example

    def __init__(self, needs_input_grad: tuple[bool, ...] = ()) -> None:
        self.needs_input_grad = needs_input_grad

    def __getattr__(self, name: str) -> Any:
        """The graph node's own attributes: in PyTorch node and ctx are one object."""
        node = None if self._node is None else self._node()
        if node is not None and (name in OF_THE_NODE or name in node.__dict__):
            return getattr(node, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def save_for_backward(self, *tensors: Any) -> None:
        """Keep tensors for backward, which reads them as `ctx.saved_tensors`: inputs and outputs of forward, or others.

        Only inputs and outputs can be differentiated through in double backward."""
        self.to_save = tensors

    def save_for_forward(self, *tensors: Any) -> None:
        """Keep tensors for `jvp`, which reads them as `ctx.saved_tensors`."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, TensorBase):
                raise RefusedValueError(
                    "save_for_forward expects all arguments to be tensors; you should save non-tensors as attributes "
                    f"on ctx. Got {type_name(tensor)}"
                )
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Any) -> None:
        """Say which inputs forward changed in place; they must be returned."""
        for tensor in tensors:
            if not isinstance(tensor, TensorBase):
                raise RuntimeError(f"mark_dirty can only accept variables, but argument is of type {type_name(tensor)}")
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Say which outputs have no gradient."""
        for tensor in tensors:
            if not isinstance(tensor, TensorBase):
                raise RuntimeError(
                    f"mark_non_differentiable only accepts variable arguments, but got {type_name(tensor)}"
                )
        self.non_differentiable = tensors

    def mark_shared_storage(self, *pairs: Any) -> None:
        """Does nothing: shared memory is tracked for all tensors."""
        warnings.warn(
            "`mark_shared_storage` is deprecated. Tensors with shared storages are automatically tracked.",
            FutureWarning,
            stacklevel=2,
        )

    def set_materialize_grads(self, value: bool) -> None:
        """Whether missing gradients and tangents reach backward and jvp as zeros (`value` True) or as None."""
        if not isinstance(value, bool):
            raise TypeError(f"set_materialize_grads(): expected a bool, but got {type_name(value)}")
        self.materialize_grads = value

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The tensors that `save_for_backward` kept; an error when they were freed or changed in place since."""
        if self._forward_saved is not None:
            return self._forward_saved
        node = None if self._node is None else self._node()
        slots = enumerate(zip(self._saved, self._versions, strict=True))  # FREED raises when iterated
        return tuple([self._unpacked(node, position, *saved) for position, saved in slots])

    def _unpacked(self, node: Any, position: int, tensor: Any, version: int) -> Any:
        if tensor is None or (current_version(tensor) == version and position not in self._saved_outputs):
            return tensor
        if node is None:  # no output is alive, so that there is no node for a saved output to be attached to
            return tensor.placed() if type(tensor) is Packed else tensor
        return SavedTensor(node, "kept_tensors", position).unpack()

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The former name of `saved_tensors`."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    def keep(self, outputs: Sequence[Any], results: Sequence[Any]) -> None:
        """Keep what forward asked to save. `outputs` are the tensors that forward returned, by which a saved output is
        recognized; `results` are what the caller gets, with their edges in the graph, one for each output.

        A saved output is kept as an alias of its result, for the result refers to the node: kept itself, it would make
        a cycle."""
        if self.to_save and self._node is not None:
            self._saved_outputs = {}
            saved_value = tuple(
                [self._saved_entry(position, t, outputs, results) for position, t in enumerate(self.to_save)]
            )
            self._saved, self._versions = (
                saved_value,
                tuple([version_of(t) if isinstance(t, TensorBase) else 0 for t in saved_value]),
            )
        self.forget()

    def _saved_entry(self, position: int, tensor: Any, outputs: Sequence[Any], results: Sequence[Any]) -> Any:
        if tensor is None:
            return None
        if not isinstance(tensor, TensorBase):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {position} is of type {type_name(tensor)}"
            )
        for index, output in enumerate(outputs):
            if output is tensor and results[index]._grad_fn is not None:
                self._saved_outputs[position] = index
                own = alias_of(results[index])
                own._tangent = results[index]._tangent
                return pack_saved(own, edge_from(self._node(), index))
        return pack_saved(tensor)

    def forget(self) -> None:
        """Let go of what only the recording of the call needs: outputs among it would keep their own node alive."""
        for name in ("to_save", "saved_for_forward", "dirty_tensors", "non_differentiable"):
            self.__dict__.pop(name, None)


def is_among(tensor: Any, others: Sequence[Any]) -> bool:
    for other in others:  # noqa: SIM110  (a generator costs as much as all the rest of a call)
        if tensor is other:
            return True
    return False


def tensors_in(values: Sequence[Any]) -> list[Any]:
    return [value for value in values if isinstance(value, TensorBase)]
