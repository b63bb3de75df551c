"""Bad calls, one for each seed, and the verdict on how a call fails."""

from __future__ import annotations

import inspect
import random
import re
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from opcode import opmap
from typing import Any

import specgrad as sg
from specgrad.codegen.verify.calls.samples import Drawing, SampledArgument, sample_calls
from specgrad.generated.registry import OPS
from specgrad.nn.modules.module import hooks
from specgrad.nn.optim import optimizer
from specgrad.runtime.extensions.distributed.checkpoint.errors import CheckpointException
from specgrad.runtime.tensor import dtypes

from . import public_names
from .hostile_values import HostileError, brief, endless, oddity, tensor
from .steady_choice import SteadyChoice


@dataclass
class Call:
    """A function with bad arguments, and the words of which an error should have one."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return (
            f"{self.name}({', '.join([*map(brief, self.args), *(f'{k}={brief(v)}' for k, v in self.kwargs.items())])})"
        )


NAMES = {name: {a[0] for a in op.arguments} for op in OPS for name in [op.name.partition(".")[0]]}
CHOICE_OF_OPS = SteadyChoice((op.name, op) for op in OPS)
ABOUT_INDEXING = {"index", "indices", "indexed", "step", "assign"}


EVERY = "every"  # the seed of `hostile_calls`


# ---- calls -----------------------------------------------------------------------------------------------------------


def drawn_call(rng: random.Random) -> Call:
    """A call of one of the four kinds."""
    return rng.choice([public_call, mutated_sample, mutated_example, mutated_example, method_of_object])(rng)


def public_call(rng: random.Random) -> Call:
    """Any public function or class with random arguments, the first mostly a tensor."""
    name, function = public_names.choice_of_functions().sampled(rng)
    method = getattr(function, "__module__", "") == public_names.__name__
    first = tensor(rng) if method or rng.random() < 0.6 else oddity(rng)
    args = [first, *(oddity(rng) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3, 4])))]
    return Call(name, function, args, _keywords(rng, name, function))


def _keywords(rng: random.Random, name: str, function: Any) -> dict[str, Any]:
    known = sorted((NAMES.get(name) or set(parameters(function))) - {"input", "self"})
    return {rng.choice([*known, "dim", "out", "dtype", "nonsense"]): oddity(rng) for _ in range(rng.choice([0, 0, 1]))}


def parameters(function: Any) -> list[str]:
    """The names of a function's parameters, as far as they can be known; those of `forward` for a layer."""
    function = function.forward if isinstance(function, sg.nn.Module) else function
    try:
        found = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return []
    return [p.name for p in found if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]


def hostile_calls(number: int) -> list[Call]:
    """One public function with nothing, with what it has no name for, and with what no function takes."""
    functions = public_names.functions()
    name, function = functions[number % len(functions)]
    built_in = isinstance(function, type) and issubclass(function, (str, dict, list, tuple))  # errors are Python's
    if name in public_names.COMMUNICATION or built_in:
        return []
    first = [sg.ones(2, 3)] if getattr(function, "__module__", "") == public_names.__name__ else []
    nothing = [] if first else [Call(name, function, [])]
    alone = [Call(name, function, [*first, value]) for value in endless()]
    after = [Call(name, function, [sg.ones(2, 3), value]) for value in endless()]
    unknown = [Call(name, function, first, {"nonsense": 3})]
    return [*nothing, *unknown, *alone, *after, Call(name, function, [*first, object(), object()])]


def mutated_sample(rng: random.Random) -> Call:
    """A sample of an op with one or two arguments replaced, left out or added."""
    op = CHOICE_OF_OPS.sampled(rng)
    text = rng.choice([*sample_calls(op), *op.hard])
    sampled = Drawing(op, text, False, dtypes).arguments(text)
    given = {
        ("input" if key == "self" else key): as_tensors(value, rng.random() < 0.5) for key, value in sampled.items()
    }
    _mutate(rng, [], given, [a[0] for a in op.arguments])
    function = op.inplace if op.inplace is not None and rng.random() < 0.3 else op.function
    return Call(op.name.partition(".")[0], function, [], given)


def as_tensors(value: Any, grad: bool) -> Any:
    """Drawn arrays as tensors, those of floats with or without gradient."""
    if isinstance(value, list):
        return [as_tensors(item, grad) for item in value]
    if not isinstance(value, SampledArgument):
        return value
    made = sg.tensor(value.array)
    return made.requires_grad_() if grad and made.is_floating_point() else made


def _mutate(rng: random.Random, args: list[Any], kwargs: dict[str, Any], names: list[str]) -> None:
    """Replace, leave out or add one or two arguments."""
    for _ in range(rng.choice([1, 1, 2])):
        index = rng.choice([*range(len(args)), *names, *kwargs] or ["nonsense"])
        if rng.random() < 0.1:
            if isinstance(index, int):
                args[index:] = args[index + 1 :]
            else:
                kwargs.pop(index, None)
        elif isinstance(index, int) and index < len(args):
            args[index] = oddity(rng)
        else:
            kwargs[str(index)] = oddity(rng)


def mutated_example(rng: random.Random) -> Call:
    """A call from a docstring's example with one or two arguments replaced, left out or added."""
    example = public_names.choice_of_examples().sampled(rng)
    while not example.calls:
        example = public_names.choice_of_examples().sampled(rng)
    function, args, kwargs = example.up_to(rng.choice(example.calls))
    named = function if hasattr(function, "__name__") else type(function)
    names = parameters(function)
    _mutate(rng, args, kwargs, rng.sample(names, min(2, len(names))))
    return Call(named.__name__, function, args, kwargs)


def method_of_object(rng: random.Random) -> Call:
    """A method of what an example leaves, with random arguments."""
    objects: list[Any] = []
    while not objects:
        objects = public_names.choice_of_examples().sampled(rng).objects()
    owner = rng.choice(objects)
    names = public_names.method_names(type(owner))
    if not names:
        return public_call(rng)
    name = rng.choice(names)
    args = [oddity(rng) for _ in range(rng.choice([0, 1, 1, 1, 2, 2, 3]))]
    function = getattr(owner, name)
    return Call(name, function, args, _keywords(rng, name, function))


# ---- verdicts --------------------------------------------------------------------------------------------------------

INTERNALS = ("numba", "ufunc", "NoneType' object", "object has no attribute", "not subscriptable", "_array", "_core")
# A call as `op()`, and words of PyTorch's that programs may look for, which name what they are about in plain English.
PYTORCHS_WORDS = re.compile(
    r"\b[A-Za-z_]\w*\(\)|^Boolean value of Tensor|CUDA device|can't convert np.ndarray of type|Tensor\.__\w+__"
    r"|learning rate|epsilon value|empty parameter list|Size mismatch between|is not a Module subclass"
    r"|(query|key|value) should be|Only tuple of tensors|conv_transpose|embedding dimension|gradcheck expects"
    r"|Profiler must be|is not an? (nn\.|buffer)|Expected a Module|inconsistent hidden_size|negative_slope"
    r"|transform API|can require gradients|__\w+__ (should return|returned)|Expected strategy|already exists|\dD input"
    r"|Fan in and fan out|embed_dim (and|must)|key_padded_mask|attn_mask|`SpectralNorm`|primal|uninitialized"
    r"|the default type|multiplicative factor|dropout probability|iterable of key|hidden size|Cannot pack empty"
    r"|is immutable|nn\.Module\.to|key_padding_mask|^unhashable type|data set to a tensor that requires gradients"
    r"|should be called with an iterable|larger than 0 in RNN|allow_mutation_on_saved_tensors"
    r"|The (Mixture|Component) distribution needs|Input arguments must all be|not an Exception"
    r"|accelerator device when none|Node (type|arity|context) mismatch|all __torch_function__ handlers returned"
    r"|Promotion for uint16|Found no NVIDIA driver|The values for attribute|lower triangular part"
    r"|Expected an instance of|Argument must be a type"
    r"|nested tensor|NestedTensor|jagged layout|mask must |must equal mask|data must be a Tensor|Dim names|Input masks"
    r"|Expected `mod`|Expecting `args`|All Tensors given|output_size"
    r"|^argument of type: |^cannot create weak reference to|All inputs should be callable"
    r"|update to inference tensor|cannot assign|Expected f\(\*args\)|At least one dataset|For (un)?batched"
    r"|^Default process group has not been initialized|^Guard failed|^Protocols cannot be instantiated"
    r"|no devices of this kind|^list expected|be converted to an index|<lambda>\(\) takes|no quantized tensors"
    r"|^PytorchStreamReader|^symbolically traced variables|^Attempting to deserialize|^No comparison pair|^vmap\("
    r"|^Enumeration over cartesian|device type at start of device string|^Expected parameter|^dict expected"
    r"|^specgrad has no |nested too deeply|^Expected qualname|data location|at least one DataPipe"
    r"|argument after \* must be|There is no op|not there yet|Invalid rank"
)
EXPECTED = (TypeError, ValueError, IndexError, RuntimeError)
ON_PURPOSE = (KeyError, AttributeError, OSError, StopIteration, AssertionError)  # where PyTorch's class is this one
_OURS = sg.__path__[0]


def complaint(call: Call) -> str | None:
    """What is wrong with how a call fails; None when it works or fails well."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # such as PyTorch's own on deprecated arguments
            use(call.function(*call.args, **call.kwargs))
    except HostileError:
        return None
    except Exception as error:
        fine = is_expected(error) and says_where(call, str(error)) or is_users(error) or is_missing(error, call)
        return None if fine else f"{type(error).__name__}: {error}\n{index(error)}"
    except CheckpointException as error:  # no Exception, as in PyTorch
        return None if "failed on ranks" in str(error) else f"{type(error).__name__}: {error}\n{index(error)}"
    return None


def use(result: Any) -> None:
    """What came out can be printed and differentiated."""
    for output in result if isinstance(result, (tuple, list)) else (result,):
        if isinstance(output, sg.Tensor):
            repr(output)
            if output.requires_grad and not output.is_complex() and output.numel() < 1000:
                output.sum().backward()


def is_expected(error: Exception) -> bool:
    """Whether the class is one that a user of PyTorch expects, or was chosen by a `raise` of ours."""
    if isinstance(error, EXPECTED) and not isinstance(error, RecursionError):
        return True
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    assert last is not None
    raised = last.tb_frame.f_code.co_code[last.tb_lasti] == opmap["RAISE_VARARGS"]
    return isinstance(error, ON_PURPOSE) and raised and last.tb_frame.f_code.co_filename.startswith(_OURS)


def is_users(error: Exception) -> bool:
    """Whether the error comes from what the caller passed: a function of the attack's, or an example's."""
    last = list(traceback.walk_tb(error.__traceback__))
    inner = [frame.f_code.co_filename for frame, _ in last[2:]]
    return any(file.startswith("<example") or "hostile_values" in file for file in inner)


def is_missing(error: Exception, call: Call) -> bool:
    """Whether there is no such file, key of a mapping or optional package as was asked for: said as Python says it."""
    given = [*call.args, *call.kwargs.values()]
    if isinstance(error, ImportError) and re.search(r"needs the package|pip install specgrad\[", str(error)):
        return True
    return isinstance(error, OSError) or (isinstance(error, KeyError) and any(error.args[0] is one for one in given))


def says_where(call: Call, message: str) -> bool:
    """Whether a message names an op as `op()`, the function called or an argument, and no internals."""
    owner = getattr(call.function, "__self__", call.function)
    slot_values = {call.name, call.name.strip("_"), type(owner).__name__, *NAMES.get(call.name, ()), *call.kwargs}
    slot_values |= {word.removesuffix("s") for word in parameters(call.function)}
    if call.name in ("pop", "getitem", "setitem", "delitem", "__getitem__", "__setitem__", "__delitem__"):
        slot_values |= ABOUT_INDEXING
    named = PYTORCHS_WORDS.search(message) or any(
        re.search(rf"\b{re.escape(word)}(_|s)?\b", message, re.IGNORECASE if len(word) > 1 else 0)
        for word in slot_values
    )
    own_words = re.sub(r"__\w+__", "", message)  # methods of an argument may be named
    return bool(named) and not any(word in own_words for word in INTERNALS)


def index(error: Exception) -> str:
    """Where an error was raised, and what caused it."""
    frames = traceback.extract_tb(error.__traceback__)[-3:]
    cause = f" <- {type(error.__cause__).__name__}: {error.__cause__}" if error.__cause__ else ""
    return "    " + " < ".join(f"{f.filename.rpartition('/')[2]}:{f.lineno} {f.name}" for f in reversed(frames)) + cause


# ---- one call --------------------------------------------------------------------------------------------------------


def outcome(seed: str) -> str | None:
    """What is wrong with the call that a seed stands for; None when nothing is."""
    every, _, number = seed.partition(f"{EVERY}/")
    complaints = []
    for call in [drawn_call(random.Random(seed))] if every or not number else hostile_calls(int(number)):
        shown = str(call)
        try:
            found = complaint(call)
        finally:
            restore()
        if found is not None:
            complaints.append(f"seed {seed!r}: {shown}: {found}")
    return "\n".join(complaints) or None


def restore() -> None:
    """Settings of the process as they were, whatever a call has changed."""
    sg.set_default_dtype(sg.float32)
    sg.set_default_device("cpu")
    sg.set_printoptions(profile="default")
    sg.autograd.set_detect_anomaly(False)
    sg.set_grad_enabled(True)
    sg.use_deterministic_algorithms(False)
    for table in (hooks.call_hooks, hooks.registration_hooks, optimizer._before_all, optimizer._after_all):
        table.clear()
