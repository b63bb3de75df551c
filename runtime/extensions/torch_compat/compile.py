"""`compile` and the marks that programs leave for a compiler: nothing is compiled, and `compile` says so once.

Besides the conditions that a program states for a compiler (`_check`), the errors that it would raise, which programs
name where they catch, and the functions for sizes that it would not know: here sizes are numbers.
"""

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from ...errors import warn_once
from ...namespace import op as own_ops
from ...tensor import dtypes
from ...tensor.tensor import TensorBase

T = TypeVar("T")
_MODES = "default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs", "lite"


def compile(
    model: Any = None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: dict[str, Any] | None = None,
    disable: bool = False,
    **kwargs: Any,
) -> Any:
    """The function or module itself, with a warning the first time: ops are machine code already, programs are not.

    Args:
        model: the function or module; without it, a decorator of these.
        fullgraph, dynamic, backend, disable: how it would be compiled.
        mode, options: likewise; one of the two at most.
        **kwargs: what newer versions of PyTorch take.

    Raises:
        RuntimeError: mode and options, or an unknown mode.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     compile(max) is max
        True
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if not disable:
        warn_once("specgrad.compile returns its argument: programs run as they are written, and ops are compiled.")
    return _same if model is None else model


def _same(value: T) -> T:
    return value


def allow_in_graph(fn: T) -> T:
    """The function itself, which a compiler is not to look into.

    Args:
        fn: the function, or a list of functions.

    Raises:
        AssertionError: it cannot be called.
    """
    for one in fn if isinstance(fn, (list, tuple)) else (fn,):
        if not callable(one):
            raise AssertionError("allow_in_graph expects a callable")
    return fn


def substitute_in_graph(original_fn: Callable[..., Any], **kwargs: Any) -> Callable[[T], T]:
    """A decorator of what a compiler would look at in place of a function; both stay as they are.

    Args:
        original_fn: that function.
        **kwargs: how it would be used.
    """
    return _same


def optimize(*args: Any, **kwargs: Any) -> Callable[[T], T]:
    """A decorator that returns its argument: the older form of `compile`.

    Args:
        *args, **kwargs: how it would be compiled.
    """
    compile(_same)
    return _same


class set_stance:
    """What is to be done with functions that are to be compiled: they run as they are, whatever is set.

    Args:
        stance: 'default', 'force_eager', 'eager_on_recompile', 'fail_on_recompile' or another of PyTorch's.
        **kwargs: how it would be compiled.

    Example:
        >>> with set_stance("force_eager"):
        ...     pass
    """

    def __init__(self, stance: str = "default", **kwargs: Any) -> None:
        self.stance = stance

    def __call__(self, fn: T) -> T:
        return fn

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


class CompileCounter:
    """A backend that counts the functions that it is given to compile: none, as `compile` returns its argument.

    Attributes:
        frame_count: how many functions.
        op_count: how many ops they have.

    Example:
        >>> counter = CompileCounter()
        >>> counter.frame_count, counter.op_count
        (0, 0)
    """

    def __init__(self) -> None:
        self.clear()

    def __call__(self, gm: Any, example_inputs: Any) -> Callable[..., Any]:
        """Count the graph of a function, `gm`, which `example_inputs` are for, and return what runs it."""
        self.frame_count += 1
        self.op_count += sum("call" in node.op for node in gm.graph.nodes)
        return gm.forward

    def clear(self) -> None:
        """Count from 0."""
        self.frame_count = self.op_count = 0


Message = Callable[[], object] | None
_UNSAID = (
    "Expected cond to be True, but got False. (Could this error message be improved? If so, please report an "
    "enhancement request to PyTorch.)"
)


def _check_with(error_type: type[Exception], cond: bool, message: Message = None) -> None:
    """Raise an error unless a condition holds.

    Args:
        error_type: the class of the error.
        cond: the condition.
        message: called for the message of the error.

    Raises:
        TypeError: the condition is no bool, or the message no function.

    Example:
        >>> _check_with(KeyError, 1 + 1 == 2, lambda: "arithmetic has changed")
    """
    if isinstance(cond, TensorBase):
        raise TypeError(
            "cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert "
            "that all elements are true."
        )
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is not None and not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(_UNSAID if message is None else str(message()))


_check = partial(_check_with, RuntimeError)
_check_index = partial(_check_with, IndexError)
_check_value = partial(_check_with, ValueError)
_check_type = partial(_check_with, TypeError)
_check_not_implemented = partial(_check_with, NotImplementedError)


def _check_is_size(i: int, message: Message = None, *, max: int | None = None) -> None:
    """Raise an error unless a number may be a size."""
    _check(i >= 0, message)
    if max is not None:
        _check(i <= max, message)


def _check_tensor_all_with(error_type: type[Exception], cond: Any, message: Message = None) -> None:
    """Raise an error unless all elements of a tensor are true."""
    if not isinstance(cond, TensorBase):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype is not dtypes.bool_:
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    _check_with(error_type, bool(own_ops.all(cond)), message)


_check_tensor_all = partial(_check_tensor_all_with, RuntimeError)


def _named(name: str, base: type, what: str) -> Any:
    return type(name, (base,), {"__doc__": what, "__module__": __name__})


TorchDynamoException = _named("TorchDynamoException", RuntimeError, "A program could not be compiled.")
Unsupported = _named("Unsupported", TorchDynamoException, "A program does what the compiler does not know.")
BackendCompilerFailed = _named("BackendCompilerFailed", TorchDynamoException, "A compiler of graphs has failed.")
InductorError = _named("InductorError", RuntimeError, "The code generator has failed.")
CppCompileError = _named("CppCompileError", RuntimeError, "The compiler of C++ has failed.")
SymInt = _named("SymInt", object, "The class of sizes that are not known yet: there are none, sizes are ints.")
SymFloat = _named("SymFloat", object, "The class of numbers that are computed from such sizes: there are none.")
SymBool = _named("SymBool", object, "The class of answers about such sizes: there are none.")


def sym_int(a: Any) -> int:
    """A number as an int, cut off as `int` does.

    Args:
        a: a number, or an answer.
    """
    return int(a)


def sym_float(a: Any) -> float:
    """A number as a float; arguments as of `sym_int`."""
    return float(a)


def sym_not(a: Any) -> bool:
    """The opposite of an answer; arguments as of `sym_int`."""
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The greater of two numbers, a float where one of them is.

    Args:
        a, b: the numbers.
    """
    return _as_either(max(a, b), a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The lesser of two numbers, a float where one of them is; arguments as of `sym_max`."""
    return _as_either(min(a, b), a, b)


def _as_either(result: Any, a: Any, b: Any) -> Any:
    return float(result) if isinstance(a, float) or isinstance(b, float) else result


def sym_sum(args: Iterable[Any]) -> Any:
    """The sum of numbers.

    Args:
        args: the numbers.
    """
    return sum(args)


def sym_sqrt(a: Any) -> float:
    """The square root of a number; arguments as of `sym_int`."""
    return math.sqrt(a)


def sym_ite(b: Any, t: Any, f: Any) -> Any:
    """One of two values.

    Args:
        b: whether it is the first.
        t, f: the values.
    """
    return t if b else f


def cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Iterable[Any] = ()) -> Any:
    """The result of one of two functions.

    Args:
        pred: whether it is the first: a bool, or a tensor of one element.
        true_fn, false_fn: the functions.
        operands: their arguments.

    Raises:
        RuntimeError: the functions cannot be called.

    Example:
        >>> cond(True, lambda x: x + 1, lambda x: x - 1, (1,))
        2
    """
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("cond(): Expect both branches to be callable.")
    return (true_fn if bool(pred) else false_fn)(*operands)


def while_loop(cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried_inputs: Any) -> Any:
    """What a function leads to, applied again and again while a condition holds.

    Args:
        cond_fn: says of the values whether it holds.
        body_fn: gives the next values.
        carried_inputs: the values to begin with, as a tuple or list.

    Raises:
        RuntimeError: the functions cannot be called, or the values are in no tuple or list.

    Example:
        >>> while_loop(lambda n: n < 10, lambda n: (2 * n,), (1,))
        (16,)
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("while_loop(): Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError(f"while_loop(): Expect carried_inputs to be a tuple, got {type(carried_inputs)}.")
    values = tuple(carried_inputs)
    while bool(cond_fn(*values)):
        result = body_fn(*values)
        values = tuple(result) if isinstance(result, (list, tuple)) else (result,)
    return values
