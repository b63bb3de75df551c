"""Ops that programs add by name: a function for each kind of device, a gradient, and a place in `ops`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

from ...autograd.function import Function
from ...namespace import op as own_ops
from ...pytree import flatten, unflatten
from ...tensor.tensor import TensorBase, tensor_class
from ...unknown_names import not_available

Kernel = Callable[..., Any]
REGISTERED: dict[str, CustomOpDef] = {}
ANY = "default"  # the kernel for devices that have none of their own
_UNDEFINED = "not defined yet"  # the schema of an op of which only a part has been registered
_KEYS = dict.fromkeys(("", "CompositeExplicitAutograd", "CompositeImplicitAutograd", "Autograd"), ANY)
_KEYS |= {"CPU": "cpu", "AutogradCPU": "cpu", "CUDA": "cuda", "AutogradCUDA": "cuda", "Meta": "meta"}


class CustomOpDef:
    """An op of a program's own: call it as its function, or as `ops.<namespace>.<name>`.

    Args:
        qualname: namespace and name, joined by `::`.
    """

    def __init__(self, qualname: str) -> None:
        self._qualname = qualname
        self._namespace, self._name = split_name(qualname)
        self.schema: str | None = None
        self._kernels: dict[str, Kernel] = {}
        self._backward: Kernel | None = None
        self._setup_context: Kernel | None = None
        self._function: type[Function] | None = None
        self._vmap: Kernel | None = None
        self.default = self  # of overloads there is one
        self.__name__ = self._name

    def register_kernel(self, device_types: Any, func: Kernel | None = None, /) -> Any:
        """Set the function `func` for some devices, or without it return a decorator of the function.

        `device_types` are 'cpu' or 'cuda', several of these, or None for all devices without one.
        """

        def register(kernel: Kernel) -> Kernel:
            kinds = ANY if device_types is None else device_types
            for kind in (kinds,) if isinstance(kinds, str) else kinds:
                self._kernels[_KEYS.get(kind, kind)] = kernel
            return kernel

        return register if func is None else register(func)

    def register_fake(self, fn: Kernel, /) -> Kernel:
        """Set the function `fn` that makes results of the right shape without computing them: the kernel of `meta`."""
        self._kernels["meta"] = fn
        return fn

    def register_autograd(self, backward: Kernel, /, *, setup_context: Kernel | None = None) -> None:
        """Set the gradient: `backward(ctx, *grads)` returns one, or None, for each argument.

        `setup_context(ctx, inputs, output)` saves what backward needs.
        """
        self._backward, self._setup_context, self._function = backward, setup_context, None

    def register_vmap(self, func: Kernel | None = None) -> Any:
        """Set what `vmap` does: `func(info, in_dims, *args)` returns a batch of results and its dimension.

        Without `func` this returns a decorator of it.
        """

        def register(rule: Kernel) -> Kernel:
            self._vmap, self._function = rule, None
            return rule

        return register if func is None else register(func)

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The kernel for the device of the arguments, which are the op's, unrecorded."""
        leaves = flatten((args, kwargs))[0]
        kind = next((leaf._device.type for leaf in leaves if isinstance(leaf, TensorBase)), ANY)
        kernel = self._kernels.get(kind) or self._kernels.get(ANY)
        if kernel is None and kind == ANY:  # no tensor says where: any kernel serves
            kernel = next(iter(self._kernels.values()), None)
        if kernel is None:
            raise NotImplementedError(f"Could not run '{self._qualname}': it has no function for device '{kind}'")
        return kernel(*args, **kwargs)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._backward is None and self._vmap is None:
            return self.run(*args, **kwargs)
        leaves, spec = flatten((args, kwargs))
        if self._function is None:
            self._function = self._differentiable()
        return self._function.apply(spec, *leaves)

    def _differentiable(self) -> type[Function]:
        """A Function of the leaves of the arguments, whose rules see the arguments as they were given."""
        op = self

        def forward(spec: Any, *leaves: Any) -> Any:
            args, kwargs = unflatten(leaves, spec)
            return op.run(*args, **kwargs)

        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            args, kwargs = unflatten(inputs[1:], inputs[0])
            ctx._call_args = args, kwargs
            if op._setup_context is not None:
                op._setup_context(ctx, args if not kwargs else (*args, *kwargs.values()), output)

        def backward(ctx: Any, *grads: Any) -> Any:
            if op._backward is None:
                raise RuntimeError(f"Trying to backward through {op._qualname} but no autograd formula was registered.")
            result = op._backward(ctx, *grads)
            result = result if isinstance(result, tuple) else (result,)
            args, kwargs = ctx._call_args
            return (None, *_as_leaves((*args, *kwargs.values()), result))

        members: dict[str, Any] = {"forward": forward, "setup_context": setup_context, "backward": backward}
        if op._vmap is not None:
            rule = op._vmap
            members["vmap"] = lambda info, dims, spec, *leaves: rule(info, dims[1:], *unflatten(leaves, spec)[0])
        return type(op._name, (Function,), {name: staticmethod(member) for name, member in members.items()})

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"


def _as_leaves(arguments: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
    """Gradients of arguments as gradients of what these hold: None for all of an argument is None for each."""
    matches: list[Any] = []
    for argument, grad in zip(arguments, grads, strict=True):
        count = len(flatten(argument)[0])
        matches += [None] * count if grad is None else flatten(grad)[0]
    return matches


def split_name(qualname: str) -> tuple[str, str]:
    namespace, separator, name = qualname.partition("::")
    if not separator or not namespace or not name:
        raise ValueError(f"Expected qualname to be of the form 'namespace::name', but got {qualname!r}")
    return namespace, name.partition(".")[0]


def custom_op(
    name: str,
    fn: Kernel | None = None,
    /,
    *,
    mutates_args: str | Iterable[str],
    device_types: str | Sequence[str] | None = None,
    schema: str | None = None,
    tags: Any = None,
) -> Any:
    """Make a function an op: a name in `ops`, a gradient that is registered, one unit for `vmap`.

    Args:
        name: namespace and name, joined by `::`.
        fn: the function; without it, a decorator.
        mutates_args: names of the arguments that it writes to; kept.
        device_types: the devices that it is for; all when left out.
        schema: the signature as text; kept.
        tags: what PyTorch's compiler is told of it; kept by nobody.

    Returns:
        A CustomOpDef.

    Example:
        >>> import specgrad as sg
        >>> @custom_op("example::twice", mutates_args=())
        ... def twice(x: sg.Tensor) -> sg.Tensor:
        ...     return x * 2
        >>> twice.register_autograd(lambda ctx, grad: grad * 2)
        >>> x = sg.tensor(3.0, requires_grad=True)
        >>> twice(x).backward()
        >>> x.grad, sg.ops.example.twice(sg.tensor(1.0))
        (tensor(2.), tensor(2.))
    """

    def make(function: Kernel) -> CustomOpDef:
        op = CustomOpDef(name)
        op.schema, op.__doc__ = schema, function.__doc__
        op.register_kernel(device_types, function)
        REGISTERED[name] = op
        return op

    return make if fn is None else make(fn)


def define(qualname: str, schema: str, *, lib: Any = None, tags: Any = ()) -> None:
    """Give an op its name; `impl` gives it functions.

    Args:
        qualname: namespace and name, joined by `::`.
        schema: the signature as text; kept.
        lib, tags: kept by nobody.

    Raises:
        RuntimeError: there is one of this name.
    """
    split_name(qualname)
    if qualname in REGISTERED and REGISTERED[qualname].schema != _UNDEFINED:
        raise RuntimeError(f"define(): an op {qualname!r} is defined already")
    _expected(qualname).schema = schema


def registered(op: Any) -> CustomOpDef:
    if isinstance(op, CustomOpDef):
        return op
    if op not in REGISTERED:
        raise RuntimeError(f"There is no op {op!r}: specgrad.library.define or custom_op makes one")
    return REGISTERED[op]


def _expected(op: Any) -> CustomOpDef:
    """The op of a name, which may be one that a library of machine code would define: that is not loaded here."""
    if isinstance(op, str) and op not in REGISTERED:
        REGISTERED[op] = CustomOpDef(op)
        REGISTERED[op].schema = _UNDEFINED
    return registered(op)


def impl(qualname: Any, types: Any, func: Kernel | None = None, *, lib: Any = None) -> Any:
    """Set the function of an op for some devices.

    Args:
        qualname: the op or its name.
        types: 'cpu', 'cuda', 'default', a key such as 'CPU' or 'CompositeExplicitAutograd', or several of these.
        func: the function; without it, a decorator.
        lib: kept by nobody.
    """
    return registered(qualname).register_kernel(types, func)


def register_fake(op: Any, func: Kernel | None = None, /, *, lib: Any = None, **kwargs: Any) -> Any:
    """Set the function of an op that makes results of the right shape; arguments as of `library.register_kernel`."""
    result = _expected(op)
    return result.register_fake if func is None else result.register_fake(func)


def register_kernel(op: Any, device_types: Any, func: Kernel | None = None, /, *, lib: Any = None) -> Any:
    """Set the function of an op for some devices.

    Args:
        op: the op or its name.
        device_types: 'cpu' or 'cuda', several of these, or None for all devices without one.
        func: the function; without it, a decorator.
        lib: kept by nobody.
    """
    return registered(op).register_kernel(device_types, func)


def register_autograd(op: Any, backward: Kernel, /, *, setup_context: Kernel | None = None, lib: Any = None) -> None:
    """Set the gradient of an op; other arguments as of `library.register_kernel`.

    Args:
        backward: called as `backward(ctx, *grads)`: one gradient, or None, for each argument.
        setup_context: called as `setup_context(ctx, inputs, output)`, to save what backward needs.
    """
    _expected(op).register_autograd(backward, setup_context=setup_context)


def register_vmap(op: Any, func: Kernel | None = None, /, *, lib: Any = None) -> Any:
    """Set what `vmap` does with an op: `func(info, in_dims, *args)` returns a batch of results and its dimension;
    arguments as of `library.register_kernel`.
    """
    return registered(op).register_vmap(func)


class Library:
    """Ops of one namespace.

    Args:
        ns: the namespace.
        kind: 'DEF' for new ops, 'IMPL' or 'FRAGMENT' for more functions or ops of a namespace that there is.
        dispatch_key: the devices that functions are for where `impl` does not say: 'CPU', 'CUDA' or ''.

    Raises:
        ValueError: another kind.

    Example:
        >>> import specgrad as sg
        >>> library = Library("counting", "DEF")
        >>> library.define("next(Tensor x) -> Tensor")
        'next'
        >>> library.impl("next", lambda x: x + 1)
        >>> sg.ops.counting.next(sg.tensor(1))
        tensor(2)
    """

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Give an op its name, which `schema` begins with, and return it.

        `alias_analysis` and `tags` are what PyTorch's compilers are told of it.
        """
        name = schema.partition("(")[0].strip()
        define(f"{self.ns}::{name}", schema)
        return name

    def impl(self, op_name: Any, fn: Kernel, dispatch_key: str = "", **kwargs: Any) -> None:
        """Set the function `fn` of the op `op_name` for the devices of `dispatch_key`."""
        name = op_name if isinstance(op_name, str) else op_name._qualname
        qualname = name if "::" in name else f"{self.ns}::{name}"
        registered(qualname).register_kernel(dispatch_key or self.dispatch_key, fn)


class OpOverload:
    """One of specgrad's functions, under a name of PyTorch's dispatcher: `ops.aten.add`, `ops.aten.add.Tensor`.

    Args:
        name: the name of the function.
        function: the function, which chooses among overloads by its arguments.
    """

    def __init__(self, name: str, function: Any) -> None:
        self.__name__ = name
        self.function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("_"):
            raise AttributeError(name)
        return self

    def __eq__(self, other: object) -> bool:
        return self.function == getattr(other, "function", other)

    def __hash__(self) -> int:
        return hash(self.function)

    def __repr__(self) -> str:
        return f"<OpOverload(aten.{self.__name__})>"


def _function(name: str) -> Any:
    """The op or method of a name. Private ones are parts of PyTorch's, which libraries list and nobody can call."""
    match = next(
        (each for op_library in (own_ops, *tensor_class().__bases__) if (each := getattr(op_library, name, None))), None
    )
    return partial(_refuse, name) if match is None and name.startswith("_") else match


def _refuse(name: str, *args: Any, **kwargs: Any) -> Any:
    raise NotImplementedError(not_available(f"ops.aten.{name}", "it is a part of PyTorch's own ops"))


class OpNamespace(ModuleType):
    def __getattr__(self, name: str) -> Any:
        cached = REGISTERED.get(f"{self.__name__}::{name}")
        if cached is not None:
            return cached
        function = _function(name) if self.__name__ == "aten" and not name.startswith("__") else None
        if function is None:
            raise AttributeError(f"'_OpNamespace' '{self.__name__}' object has no attribute '{name}'")
        self.__dict__[name] = OpOverload(name, function)  # kept, as programs compare them by identity
        return self.__dict__[name]


class Ops(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.__dict__[name] = OpNamespace(name)
        return self.__dict__[name]

    def load_library(self, path: str) -> None:
        """Load ops from the shared library at `path`: refused by an OSError, as it would be PyTorch's machine code."""
        raise OSError(f"specgrad.ops.load_library({path!r}): libraries of PyTorch's ops cannot be loaded")


ops = Ops("specgrad.ops")
