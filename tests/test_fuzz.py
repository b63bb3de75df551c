"""10,000 random bad calls: each works, or is an error of a class a PyTorch user expects that names what was called.

Half of the calls are a sample of the registry with an argument or two replaced; the others call any public function,
method or operator with arguments drawn from a box of oddities. Every call has its own seed, to be repeated by.
"""

import random
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.codegen.verify_samples import Drawing, Drawn, call_texts
from specgrad.generated.registry import OPS
from specgrad.runtime import dtypes

CALLS, CHUNKS = 10_000, 20
HUGE = [-(2**31) - 1, 2**40, 2**62, 2**63, -(2**63), 10**30]  # none that memory might just hold

# Functions that change the state of the process, or read and write files.
STATEFUL = {
    "save",
    "load",
    "seed",
    "set_default_dtype",
    "set_num_threads",
    "set_printoptions",
    "set_rng_state",
    "grad_mode",
}
NOT_CALLED = {"backward", "share_memory_", "module_load"}


def tensors(rng: random.Random) -> list[Any]:
    """Tensors of many shapes, dtypes and layouts."""
    shape = rng.choice([(), (0,), (1,), (3,), (4,), (2, 3), (3, 4), (3, 3), (0, 3), (2, 0), (2, 3, 4), (1, 2, 4, 4)])
    kind = rng.choice(
        [sg.float32, sg.float32, sg.float64, sg.float16, sg.bfloat16, sg.int64, sg.int8, sg.bool, sg.complex64]
    )
    values = np.random.default_rng(rng.randrange(100)).integers(-9, 9, shape)
    plain = sg.tensor(values).to(kind)
    odd = sg.full(shape, rng.choice([sg.nan, sg.inf, -sg.inf, 1e30]))
    return [plain, plain, plain.transpose(0, -1), odd, sg.zeros(shape, requires_grad=True), sg.tensor(values)]


def oddity(rng: random.Random) -> Any:
    """An argument of any type."""
    number = rng.choice([0, 1, -1, 2, 3, 5, -7, 0.5, -1.5, float("nan"), float("inf"), 1j, True, *HUGE])
    items = [rng.choice([0, 1, 2, -1, 7, 0.5, None, "a", 2**40]) for _ in range(rng.randrange(4))]
    return rng.choice(
        [
            number,
            rng.choice([0, 1, -1, 2, 3]),
            items,
            tuple(items),
            [tensor(rng) for _ in range(rng.randrange(4))],
            None,
            rng.choice(["a", "", "mean", "cuda", "float32"]),
            rng.choice([sg.float32, sg.int64, sg.bool, sg.complex64, int, float]),
            rng.choice([object(), {}, {"a": 1}, slice(1, None), ..., b"a", print, set(), range(3)]),
            rng.choice([np.ones(3), np.float32(2), np.int64(7), np.array("a"), np.zeros((2, 3), np.uint16)]),
            *(tensor(rng) for _ in range(9)),
        ]
    )


def tensor(rng: random.Random) -> Any:
    """One tensor."""
    return rng.choice(tensors(rng))


def public_calls() -> list[tuple[str, Callable[..., Any]]]:
    """Every public function, method and operator by the name that its errors should mention."""
    found = []
    for space in (sg, sg.nn.functional, sg.linalg, sg.special, sg.fft):
        for name in dir(space):
            function = getattr(space, name)
            is_function = callable(function) and not isinstance(function, type) and not name.startswith("_")
            if is_function and name not in STATEFUL:
                found.append((name, function))
    for name in dir(sg.Tensor):
        if callable(getattr(sg.Tensor, name, None)) and is_method(name) and name not in NOT_CALLED:
            found.append((name.strip("_"), method(name)))
    return found


OPERATORS = re.findall(
    r"\w+",
    """abs add and bool contains eq float floordiv ge getitem gt iadd idiv ifloordiv imul index int invert isub itruediv
    le len lt matmul mod mul ne neg or pow radd rdiv rfloordiv rmatmul rmod rmul rpow rsub rtruediv setitem sub
    truediv xor""",
)


def is_method(name: str) -> bool:
    """Whether an attribute of Tensor is a public method or an operator."""
    return name.strip("_") in OPERATORS if name.startswith("__") else not name.startswith("_")


def method(name: str) -> Callable[..., Any]:
    """A method as a function of the tensor and its arguments."""
    return lambda self, *args, **kwargs: getattr(self, name)(*args, **kwargs)


PUBLIC = public_calls()
NAMES = {name: {a[0] for a in op.arguments} for op in OPS for name in [op.name.partition(".")[0]]}


def public_call(rng: random.Random) -> tuple[str, Callable[..., Any], list[Any], dict[str, Any]]:
    """Any public function with random arguments, the first mostly a tensor."""
    name, function = rng.choice(PUBLIC)
    first = tensor(rng) if rng.random() < 0.9 or is_bound(function) else oddity(rng)
    args = [first, *(oddity(rng) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 4])))]
    parameters = sorted(NAMES.get(name, {"dim"}) - {"input", "self"}) + ["dim", "out", "dtype", "nonsense"]
    kwargs = {rng.choice(parameters): oddity(rng) for _ in range(rng.choice([0, 0, 1]))}
    return name, function, args, kwargs


def is_bound(function: Callable[..., Any]) -> bool:
    """Whether the function is a method made by `method`."""
    return getattr(function, "__name__", "") == "<lambda>"


def mutated_sample(rng: random.Random) -> tuple[str, Callable[..., Any], list[Any], dict[str, Any]]:
    """A sample of an op with one or two arguments replaced, left out or added."""
    op = rng.choice(OPS)
    text = rng.choice([*call_texts(op), *op.hard])
    drawn = Drawing(op, text, False, dtypes).arguments(text)
    given = {("input" if key == "self" else key): as_tensors(value, rng.random() < 0.5) for key, value in drawn.items()}
    for _ in range(rng.choice([1, 1, 2])):
        key = rng.choice([a[0] for a in op.arguments])
        if rng.random() < 0.1:
            given.pop(key, None)
        else:
            given[key] = oddity(rng)
    function = op.inplace if op.inplace is not None and rng.random() < 0.3 else op.function
    return op.name.partition(".")[0], function, [], given


def as_tensors(value: Any, grad: bool) -> Any:
    """Drawn arrays as tensors, those of floats with or without gradient."""
    if isinstance(value, list):
        return [as_tensors(item, grad) for item in value]
    if not isinstance(value, Drawn):
        return value
    made = sg.tensor(value.array)
    return made.requires_grad_() if grad and made.is_floating_point() else made


def complaint(seed: int) -> str | None:
    """What is wrong with how one call fails; None when it works or fails well."""
    rng = random.Random(seed)
    name, function, args, kwargs = mutated_sample(rng) if seed % 2 else public_call(rng)
    shown = f"{name}({', '.join([*map(brief, args), *(f'{k}={brief(v)}' for k, v in kwargs.items())])})"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # such as PyTorch's own on deprecated arguments
            use(function(*args, **kwargs))
    except (TypeError, ValueError, IndexError, RuntimeError) as error:
        fine = not isinstance(error, RecursionError) and says_where(name, kwargs, str(error))
        return None if fine else f"seed {seed}: {shown}: {type(error).__name__}: {error}"
    except Exception as error:
        return f"seed {seed}: {shown}: {type(error).__name__}: {error}"
    return None


def use(result: Any) -> None:
    """What came out can be printed and differentiated."""
    for output in result if isinstance(result, (tuple, list)) else (result,):
        if isinstance(output, sg.Tensor):
            repr(output)
            if output.requires_grad and not output.is_complex() and output.numel() < 1000:
                output.sum().backward()


def says_where(name: str, kwargs: dict[str, Any], message: str) -> bool:
    """Whether a message names an op as `op()`, the function called or an argument, and no internals."""
    words = {name, *NAMES.get(name, ()), *kwargs, *(ABOUT_INDEXING if name in ("getitem", "setitem") else ())}
    named = re.search(
        r"\b[A-Za-z_]\w*\(\)|^Boolean value of Tensor|CUDA device|can't convert np.ndarray of type|Tensor\.__\w+__",
        message,
    ) or any(re.search(rf"\b{re.escape(w)}_?\b", message) for w in words)
    return bool(named) and not any(word in message for word in INTERNALS)


ABOUT_INDEXING = ("index", "indices", "indexed", "step", "assign")
INTERNALS = ("numba", "ufunc", "NoneType' object", "object has no attribute", "not subscriptable", "_array", "_core")


def brief(value: Any) -> str:
    """An argument in few words."""
    if isinstance(value, sg.Tensor):
        return f"<{value.dtype.name} {list(value.shape)}{' grad' if value.requires_grad else ''}>"
    return f"[{', '.join(map(brief, value))}]" if isinstance(value, list) else repr(value)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_bad_calls(chunk: int) -> None:
    """Never a crash, never a bare internal error."""
    size = CALLS // CHUNKS
    found = [text for seed in range(chunk * size, (chunk + 1) * size) if (text := complaint(seed)) is not None]
    assert found == []
