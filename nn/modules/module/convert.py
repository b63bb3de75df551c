"""The part of Module that changes dtype and device of its tensors: in place, by new ones, or by exchange."""

from collections.abc import Callable, Iterator
from typing import Any, Self

from ....generated.tensor import Tensor
from ....runtime.autograd.accumulate_grad import forget_gradients
from ....runtime.device.device import device as Device
from ....runtime.dispatch import argument_checks
from ....runtime.errors import ArgumentError, NoDataError, type_name, warn_user
from ....runtime.methods.swap import swap_tensors
from ....runtime.ops.creation import empty_like
from ....runtime.tensor.dtypes import bfloat16, dtype, float16, float32, float64
from ....runtime.tensor.grad_mode import no_grad
from ...parameter import Parameter


class _Choices:
    """What programs have chosen; by default the data of parameters is replaced, and they stay what they are."""

    overwrite = False
    swap = False


_choices = _Choices()


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Set whether conversions of modules (`to`, `double`, `cuda`) give them new parameters, instead of new data.

    An optimizer then keeps the old parameters.
    """
    _choices.overwrite = argument_checks.boolean("set_overwrite_module_params_on_conversion", "value", value)


def get_overwrite_module_params_on_conversion() -> bool:
    """Whether conversions of modules give them new parameters."""
    return _choices.overwrite


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Set whether conversions and `load_state_dict` make new parameters and exchange them with the old ones.

    The parameter object stays, with another class, dtype or memory (`utils.swap_tensors`); this comes before
    `set_overwrite_module_params_on_conversion`. What is loaded is made by `Tensor.module_load`.
    """
    _choices.swap = argument_checks.boolean("set_swap_module_params_on_conversion", "value", value)


def get_swap_module_params_on_conversion() -> bool:
    """Whether conversions and `load_state_dict` exchange parameters."""
    return _choices.swap


def replaced(module: Any, name: str, parameter: Parameter, value: Any) -> bool:
    """Give a module what became of a parameter; False unless programs have chosen not to change its data."""
    if not (_choices.swap or _choices.overwrite):
        return False
    new = value if isinstance(value, Parameter) else Parameter(value, requires_grad=parameter.requires_grad)
    if _choices.swap:
        swap_tensors(parameter, new)
    else:
        module._parameters[name] = new
    return True


Convert = Callable[[Tensor], Tensor]


class ModuleConversion:
    """Conversions change parameters in place (their `data`), so an optimizer that holds them sees the new values."""

    _parameters: dict[str, Parameter | None]
    _buffers: dict[str, Tensor | None]
    children: Callable[[], Iterator[Any]]
    parameters: Callable[..., Iterator[Parameter]]
    buffers: Callable[..., Iterator[Tensor]]

    def _apply(self, fn: Convert, recurse: bool = True) -> Self:
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, parameter in self._parameters.items():
            if parameter is not None:
                _convert_parameter(self, name, parameter, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def apply(self, fn: Callable[[Any], Any]) -> Self:
        """Call `fn` on every module of the tree, children first; often used to initialise.

        Example:
            >>> _ = sg.nn.Sequential(sg.nn.ReLU()).apply(lambda module: print(type(module).__name__))
            ReLU
            Sequential
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Move to a device and/or convert the floating-point parameters and buffers to a dtype.

        `to(device)`, `to(dtype)`, `to(device, dtype)`, `to(tensor)`, or by keyword. `memory_format=` says how
        parameters and buffers of 4 or 5 dimensions lie in memory.

        Raises:
            NotImplementedError: a tensor of the device `meta` is to go elsewhere: `to_empty` is for that.
            TypeError: the dtype is neither floating-point nor complex, or an argument is of another kind.
        """
        device, to_dtype = _parse_to(args, kwargs)
        remaining = kwargs.get("memory_format")
        if to_dtype is not None and not (to_dtype.is_floating_point or to_dtype.is_complex):
            raise TypeError(
                f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={to_dtype}"
            )
        if to_dtype is not None and to_dtype.is_complex:
            warn_user(
                "Complex modules are a new feature under active development whose design may change, and some modules "
                "might not work as expected when using complex tensors as parameters or buffers."
            )

        def convert(t: Tensor) -> Tensor:
            if t.is_meta and device is not None and device.type != "meta":
                raise NoDataError(
                    "Cannot copy out of meta tensor; no data! Please use specgrad.nn.Module.to_empty() instead of "
                    "specgrad.nn.Module.to() when moving module from meta to a different device."
                )
            moved = t.to(device=device, dtype=to_dtype if t.is_floating_point() or t.is_complex() else None)
            return moved.to(memory_format=remaining) if remaining is not None and t.dim() in (4, 5) else moved

        return self._apply(convert)

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Move to `device` without copying values: memory is left as it is. `recurse` includes the children."""
        return self._apply(lambda t: empty_like(t, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Move all parameters, their gradients and buffers to memory that other processes can see.

        Processes that are given the module afterwards work on the same parameters, each with gradients of its own.
        """
        tensors: list[Tensor] = [*self.parameters(), *self.buffers()]
        from ....runtime.extensions.multiprocessing.reductions import share_tensors  # few modules are shared

        share_tensors([*tensors, *(t.grad for t in tensors if t.grad is not None)])
        return self

    def cpu(self) -> Self:
        """Move all parameters and buffers to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: int | Device | None = None) -> Self:
        """Move all parameters and buffers to a CUDA device."""
        return self._apply(lambda t: t.cuda(device))

    def type(self, dst_type: dtype | str) -> Self:
        """Convert all parameters and buffers to `dst_type`."""
        if dst_type is None:  # which asks a tensor for its type
            raise ArgumentError("type(): argument 'dst_type' must be dtype or str, not NoneType")
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
        return self._to_floating(float32)

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
        return self._to_floating(float64)

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16."""
        return self._to_floating(float16)

    def bfloat16(self) -> Self:
        """Convert floating-point parameters and buffers to bfloat16."""
        return self._to_floating(bfloat16)

    def _to_floating(self, target: dtype) -> Self:
        return self._apply(lambda t: t.to(dtype=target) if t.is_floating_point() else t)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set `requires_grad` of the parameters: whether gradients are computed for them; returns the module."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or with `set_to_none=False` fill those tensors with zeros."""
        forget_gradients(self.parameters(), set_to_none)


def _convert_parameter(module: Any, name: str, parameter: Parameter, fn: Convert) -> None:
    with no_grad():
        old = parameter.grad
        value = fn(parameter.data)
        grad = None if old is None else fn(old)._requiring_grad(old.requires_grad)
        if not replaced(module, name, parameter, value):
            parameter.data = value
        if grad is not None:
            module._parameters[name].grad = grad


def _parse_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Device | None, dtype | None]:
    named = dict(kwargs)
    for option in ("non_blocking", "copy", "memory_format"):
        named.pop(option, None)
    remaining = list(args)
    if remaining and isinstance(remaining[-1], bool):
        remaining.pop()  # non_blocking, by position
    if "tensor" in named:
        remaining.append(named.pop("tensor"))
    results: dict[str, Any] = {"device": None, "dtype": None}
    for value in remaining:
        results.update(_target(value))
    results.update((name, value) for name, value in named.items() if name in results)
    unknown = [name for name in named if name not in results]
    if unknown or not (args or kwargs) or len(remaining) > 2:
        raise TypeError(
            "to() received an invalid combination of arguments: expected a device, a dtype, both, or a tensor, "
            f"got ({', '.join([*map(type_name, args), *(f'{name}=' for name in kwargs)])})"
        )
    device = results["device"]
    return Device(device) if isinstance(device, (str, int)) else device, results["dtype"]


def _target(value: Any) -> dict[str, Any]:
    if isinstance(value, Tensor):
        return {"device": value.device, "dtype": value.dtype}
    if isinstance(value, dtype):
        return {"dtype": value}
    if value is None or isinstance(value, (str, int, Device)):
        return {"device": value}
    raise TypeError(
        f"to() received an invalid argument: expected a device, a dtype or a tensor, got {type_name(value)}"
    )
