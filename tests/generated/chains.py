"""Random chains of ops, run in specgrad and in PyTorch side by side: each op reads what earlier ones have given.

An argument is a sample's value plus a little of an earlier result, brought to its shape by public ops: so arguments
stay where the op is defined, numbers of a size that can be compared, and gradients run through the whole chain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

import specgrad as sg
from specgrad.codegen.verify.calls.samples import SampledArgument
from specgrad.runtime.errors import DtypeError, UnsupportedDtypeError

from .call_variants import python_names
from .calls import BY_NAME, NAMES, call_sources, full, is_index, sampled, takes_gradient
from .torch_calls import EXPECTED, PAGE, TOLERANCE, Pair, difference, documented, public, shown, torch, values

DTYPES = ("float64",) * 6 + ("float32", "complex128", "float16", "int64", "bool")
SHAPES = ((2, 3), (3,), (), (4, 1), (2, 2, 2))
NO_DTYPE = re.compile(
    "(?i)low precision|unsupported dtype|must be either float|types other than|of float, double|expected a floating|"
    "not be a bool|vander supports"
)
NOISE = 0.05  # of an earlier result in an argument


def read_left_out(page: str) -> set[str]:
    """The ops of the page's list of what chains leave out."""
    _, _, rest = page.partition("left out of chains:")
    lines = [line.partition(": ")[0] for line in rest.splitlines() if line.startswith("- `")]
    return {name for line in lines for name in re.findall(r"`(\w+)`", line)}


LEFT_OUT = read_left_out(PAGE.read_text(encoding="utf-8"))


def is_comparable(name: str) -> bool:
    """Whether PyTorch has the op under this name, and it always gives the same."""
    op, pair = BY_NAME[name], public(name)
    random = any("Generator" in type_ for _, type_, _, _ in op.arguments)
    known = documented(name, "plain") or name.partition(".")[0] in LEFT_OUT
    return pair is not None and pair.theirs is not None and not random and not known


PAIRS: dict[str, Pair] = {name: found for name in NAMES if is_comparable(name) and (found := public(name))}
COMPARED = list(PAIRS)


@dataclass(frozen=True)
class Both:
    """The same tensor in both libraries."""

    ours: Any
    theirs: Any

    def each(self, function: Callable[[Any, Any], Any]) -> Both:
        """What a function of a library and its tensor gives in both."""
        return Both(function(sg, self.ours), function(torch, self.theirs))


@dataclass
class Chain:
    """The tensors of a chain, which of them are leaves, what was done, and how exactly it can be compared."""

    random: Random
    tensors: list[Both] = field(default_factory=list)
    leaves: list[Both] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    tolerance: float = 1e-9
    refused: int = 0

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def leaf(self, shape: tuple[int, ...]) -> None:
        """A new tensor of float64 that requires grad."""
        array = np.array([self.random.uniform(-1, 1) for _ in range(int(np.prod(shape)))]).reshape(shape)
        self.leaves.append(made(array, "float64").each(lambda _, x: x.requires_grad_()))
        self.tensors.append(self.leaves[-1])


def made(array: np.ndarray, dtype: str) -> Both:
    """An array as a tensor of a dtype."""
    return Both(sg.tensor(array), torch.tensor(array)).each(lambda lib, x: x.to(getattr(lib, dtype)))


def run(random: Random, length: int) -> tuple[Chain, str]:
    """A chain of some ops and a backward pass: what was done, and in what the libraries differ, empty if in nothing."""
    chain = Chain(random)
    for _ in range(2):
        chain.leaf(random.choice(SHAPES))
    for _ in range(length):
        if what := step(chain):
            return chain, what
    return chain, different_gradients(chain)


def step(chain: Chain) -> str:
    """One op on arguments that are made of what is there; its results join that."""
    random = chain.random
    name = random.choice(COMPARED)
    dtype = random.choice(DTYPES)
    if any(documented(name, f"{what}in {dtype}") for what in ("", "gradient ")):
        return ""
    samples = call_sources(BY_NAME[name], "i" if dtype in ("int64", "bool") else "f")
    if not samples:
        return ""
    text = random.choice(samples)
    given = python_names(arguments(chain, name, text, dtype))
    method, first = f"{name.partition('.')[0]}_", next(iter(given.values()), None)
    has_method = torch is not None and hasattr(sg.Tensor, method) and hasattr(torch.Tensor, method)
    in_place = random.random() < 0.15 and has_method and isinstance(first, Both)
    chain.lines.append(f"{name}{'_' * in_place}({text}) in {dtype}")
    ours, theirs = (attempt(lib, name, given, in_place) for lib in (sg, torch))
    chain.refused += isinstance(theirs, Exception)
    what = compared(chain, ours, theirs, dtype)
    if not what and not isinstance(ours, Exception) and not isinstance(theirs, Exception):
        chain.tensors += [Both(a, b) for a, b in zip(ours, theirs, strict=True) if is_of_use(a, b)]
    return what


def is_of_use(ours: Any, theirs: Any) -> bool:
    """Whether a result can be a part of other arguments: not one that only one library differentiates."""
    if not isinstance(ours, sg.Tensor) or not ours.is_floating_point() or not 0 < ours.numel() < 1000:
        return False
    return ours.requires_grad == theirs.requires_grad


def arguments(chain: Chain, name: str, text: str, dtype: str) -> dict[str, Any]:
    """The arguments of a sample, those that have gradients with a little of earlier results in them."""

    def argument(key: str, value: Any) -> Any:
        if isinstance(value, list):
            return [argument(key, item) for item in value]
        if not isinstance(value, SampledArgument):
            return value
        if is_index(value):
            return made(value.array, str(value.array.dtype))
        array = value.array
        if dtype in ("int64", "bool"):
            return made(full(array) if dtype == "int64" else array > 0, dtype)
        plain = made(array, dtype)
        return with_layout(chain, disturbed(chain, plain)) if takes_gradient(name, key, value) else plain

    return {key: argument(key, value) for key, value in sampled(name, text, dtype == "complex128").items()}


def disturbed(chain: Chain, plain: Both) -> Both:
    """A tensor with a little of an earlier result in it, which is read as often as it takes."""
    if chain.random.random() < 0.3:
        return plain
    source, count = chain.random.choice(chain.tensors), plain.ours.numel()

    def sums(lib: Any, one: Any, other: Any) -> Any:
        bounded = lib.tanh(lib.nan_to_num(other.to(lib.float64))).reshape(-1)
        repeated = bounded[lib.arange(count) % bounded.numel()].reshape(one.shape)
        return one + (repeated * NOISE).to(one.dtype)

    return Both(sums(sg, plain.ours, source.ours), sums(torch, plain.theirs, source.theirs))


def with_layout(chain: Chain, tensor: Both) -> Both:
    """The same elements, now and then with other strides, or as a part of more."""
    way = chain.random.randrange(6)
    if way == 0 and tensor.ours.ndim > 1:
        return tensor.each(lambda _, x: x.transpose(0, -1).contiguous().transpose(0, -1))
    if way == 1 and tensor.ours.ndim:
        return tensor.each(lambda lib, x: lib.stack([x, x * 2], -1)[..., 0])
    return tensor


def attempt(lib: Any, name: str, given: dict[str, Any], in_place: bool) -> tuple[Any, ...] | Exception:
    """The outputs of a call in one library, or its exception; what is written to is a copy."""

    def own(value: Any) -> Any:
        if isinstance(value, list):
            return [own(item) for item in value]
        if isinstance(value, sg.dtype):
            return getattr(lib, value.name)
        return (value.ours if lib is sg else value.theirs) if isinstance(value, Both) else value

    named = {key: own(value) for key, value in given.items()}
    pair = PAIRS[name]
    first = named.pop(BY_NAME[name].arguments[0][0], None)
    function = pair.ours if lib is sg else pair.theirs
    try:
        if in_place:
            found = getattr(first.clone(), f"{name.partition('.')[0]}_")(**named)
        elif "(a!)" in BY_NAME[name].schema.partition("->")[0]:
            found = function(first.clone(), **named)
        else:
            found = function(first, **named)
    except EXPECTED as error:
        return error
    return tuple(found) if isinstance(found, list | tuple) else (found,)


def compared(chain: Chain, ours: Any, theirs: Any, dtype: str) -> str:
    """In what two outcomes differ, by the least exact dtype of the chain so far."""
    if isinstance(ours, DtypeError | UnsupportedDtypeError) or (
        isinstance(theirs, Exception) and NO_DTYPE.search(str(theirs))
    ):
        return ""  # of dtypes docs/ops says which an op takes
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        return difference(ours, theirs)
    dtypes = [dtype, *(tensor.dtype.name for tensor in ours if isinstance(tensor, sg.Tensor))]
    chain.tolerance = max(chain.tolerance, *(10 * TOLERANCE.get(each, 0) for each in dtypes))
    pairs = list(zip(ours, theirs, strict=True)) if len(ours) == len(theirs) else []
    if not pairs and ours:
        return f"{len(ours)} outputs, not {len(theirs)}"
    return next(filter(None, (unlike(chain, a, b) for a, b in pairs)), "")


def unlike(chain: Chain, ours: Any, theirs: Any) -> str:
    """In what two outputs differ: kind, dtype, shape, whether they require grad, values."""
    if not isinstance(ours, sg.Tensor):
        return "" if type(ours) is type(theirs) and ours == theirs else f"{ours}, not {theirs}"
    facts = [(ours.dtype.name, str(theirs.dtype).rpartition(".")[2]), (tuple(ours.shape), tuple(theirs.shape))]
    if theirs.requires_grad and type(theirs.grad_fn).__name__ != "NotImplemented":
        facts.append((ours.requires_grad, True))
    for fact, other in facts:
        if fact != other:
            return f"{fact}, not {other}"
    return different_values(values(ours), values(theirs), chain.tolerance)


def different_values(got: np.ndarray, right: np.ndarray, tolerance: float) -> str:
    """In what numbers differ beyond rounding; of huge ones only that they are."""
    with np.errstate(invalid="ignore"):
        alike = np.allclose(got, right, rtol=tolerance, atol=tolerance, equal_nan=True)
        huge = (np.abs(got) > 1 / tolerance) & (np.abs(right) > 1 / tolerance)
    same = alike or np.allclose(got[~huge], right[~huge], rtol=tolerance, atol=tolerance, equal_nan=True)
    return "" if same else f"{got.tolist()}, not {right.tolist()}"


def roots(chain: Chain) -> Iterator[Both]:
    """Numbers to go back from: weighted sums of the last results that have a gradient and no nan."""
    for tensor in chain.tensors[len(chain.leaves) :][-4:]:
        if tensor.ours.requires_grad and np.isfinite(values(tensor.ours)).all():
            yield tensor.each(lambda lib, x: lib.tanh(x.to(lib.float64)).sum())


def different_gradients(chain: Chain) -> str:
    """In what the gradients of the leaves differ."""
    found = list(roots(chain))
    if not found:
        return ""
    ours, theirs = (gradients(chain, [root.ours for root in found], True), gradients(chain, [r.theirs for r in found]))
    if isinstance(theirs, Exception) and "not implemented" in str(theirs):
        return ""  # where PyTorch has no formula
    if isinstance(ours, Exception) or isinstance(theirs, Exception):
        return "" if isinstance(ours, type(theirs)) else f"backward: {shown_any(ours)}, not {shown_any(theirs)}"
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True)):
        got, right = (np.zeros(1) if grad is None else values(grad) for grad in (one, other))  # none is zeros
        if what := different_values(got, right, 1e3 * chain.tolerance):
            return f"gradient of leaf {number}: {what}"
    return ""


def shown_any(outcome: Any) -> str:
    """Gradients or an error in one line."""
    return shown(outcome) if isinstance(outcome, Exception) else "gradients"


def gradients(chain: Chain, found: list[Any], ours: bool = False) -> Any:
    """The gradients of all leaves in one library, or the exception."""
    leaves = [leaf.ours if ours else leaf.theirs for leaf in chain.leaves]
    try:
        return (sg if ours else torch).autograd.grad(sum(found[1:], found[0]), leaves, allow_unused=True)
    except EXPECTED as error:
        return error
