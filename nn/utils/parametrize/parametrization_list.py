"""ParametrizationList: the original of a parametrized tensor, and the modules that compute the tensor from it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.errors import type_name
from ....runtime.tensor.grad_mode import no_grad
from ...modules.container import ModuleList
from ...modules.module.base import Module
from ...parameter import Parameter


class ParametrizationList(ModuleList):
    """A parametrized tensor: its original, and the modules that are applied to it one after the other.

    Formula: tensor = f_n(... f_1(original)); f_1 may take several originals

    Args:
        modules: the modules; the right_inverse of each, where it has one, says what its input is in the beginning.
        original: the parameter or buffer that is parametrized.
        unsafe: whether the result may have another dtype and shape than the original.

    Attributes:
        original: the parameter or buffer that is learned; several are original0, original1, ...
        is_tensor: whether there is one.
        ntensors: how many there are otherwise.

    Shape: Output: that of the original.

    Raises: ValueError: right_inverse gives no tensors, or dtype or shape change and `unsafe` is not set.

    Example:
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> layer.parametrizations.weight
        ParametrizationList(
          (0): _WeightNorm()
        )
    """

    original: Any
    unsafe: bool

    def __init__(self, modules: Sequence[Module], original: Tensor | Parameter, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        shape, dtype = original.shape, original.dtype
        self._keep(original, self._invert(original))
        if not unsafe:
            _check_result(self(), shape, dtype)

    def _invert(self, value: Any) -> Any:
        with no_grad():
            for module in reversed(self):
                if hasattr(module, "right_inverse"):
                    with suppress(NotImplementedError):
                        value = module.right_inverse(value)
        if not isinstance(value, Tensor | Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got "
                f"{type(value).__name__}"
            )
        return value

    def _keep(self, original: Any, new: Any) -> None:
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if self.is_tensor else len(new)
        if not self.is_tensor:
            for number, part in enumerate(new):
                put(self, f"original{number}", _like(original, part, number))
            return
        if new.dtype is not original.dtype:
            raise ValueError(
                "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}"
            )
        if new is not original:
            original.data = new.detach()  # the same object: an optimizer may know it
        put(self, "original", original)

    def right_inverse(self, value: Tensor) -> None:
        """Change the originals so that the result is `value`: what an assignment to the tensor does.

        A RuntimeError where a module has no right_inverse, a ValueError where what it gives does not fit the originals.
        """
        with no_grad():
            for module in reversed(self):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
        if self.is_tensor:
            self._change(self.original, value, "")
            return
        if not isinstance(value, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(value).__name__}.")
        if len(value) != self.ntensors:
            raise ValueError(
                "'right_inverse' must return a sequence of tensors of length "
                f"{self.ntensors}. Got a sequence of length {len(value)}."
            )
        for number, part in enumerate(value):
            self._change(getattr(self, f"original{number}"), part, str(number))

    def _change(self, original: Tensor, value: Any, number: str) -> None:
        if not isinstance(value, Tensor):
            raise ValueError(f"`right_inverse` should return a tensor. Got {type_name(value)}")
        if value.dtype is not original.dtype:
            raise ValueError(
                f"The tensor `original{number}` has dtype {original.dtype} while `right_inverse` returned dtype "
                f"{value.dtype}"
            )
        original.data = value.detach()

    def forward(self) -> Any:
        first, *others = self
        originals = [self.original] if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]
        value = first(*originals)
        for module in others:
            value = module(value)
        return value


def _like(original: Any, part: Any, number: int) -> Any:
    if not isinstance(part, Tensor):
        raise ValueError(
            "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
            f"{number} of the sequence with type {type(part).__name__}."
        )
    if isinstance(original, Parameter):
        return Parameter(part.detach(), original.requires_grad)
    return part.detach().requires_grad_(original.requires_grad)


def put(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def _check_result(value: Any, shape: Any, dtype: Any) -> None:
    if not isinstance(value, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
    for name, before, after in (("dtype", dtype, value.dtype), ("shape", shape, value.shape)):
        if before != after:
            raise ValueError(
                f"Registering a parametrization may not change the {name} of the tensor, unless `unsafe` flag is "
                f"enabled.\nunparametrized {name}: {before}\nparametrized {name}: {after}"
            )


_depth = 0
_values: dict[tuple[int, str], Any] = {}


@contextmanager
def cached() -> Iterator[None]:
    """Within it, a parametrized tensor is computed when it is first read, and is the same tensor from then on.

    Example:
        >>> layer = sg.nn.utils.parametrizations.weight_norm(sg.nn.Linear(2, 3))
        >>> layer.weight is layer.weight
        False
        >>> with sg.nn.utils.parametrize.cached():
        ...     layer.weight is layer.weight
        True
    """
    global _depth
    _depth += 1
    try:
        yield
    finally:
        _depth -= 1
        if not _depth:
            _values.clear()


def read(module: Any, name: str, compute: Callable[[], Any]) -> Any:
    if not _depth:
        return compute()
    key = id(module), name
    if key not in _values:
        _values[key] = compute()
    return _values[key]
