"""Compiles kernels ahead of their first use: `python -m specgrad.warmup` fills the cache.

python -m specgrad.warmup                                every op in float32, and random numbers
python -m specgrad.warmup relu linear                    these ops, with all their overloads
python -m specgrad.warmup relu --dtypes float32 float64  in these dtypes
python -m specgrad.warmup --script train.py [ARG ...]    whatever a script uses: it is run, as by `python train.py`

An op is called as `codegen verify` calls it: forward, in place, with a number, and backward for every choice of
inputs that may require gradients. Kernels are cached for each dtype and, some of them, for the number of dimensions or
for operands that are broadcast; what such a call does not meet is compiled when it is first needed, as ever.
"""

import argparse
import runpy
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba.core import event

import specgrad as sg

from .codegen.language.syntax import did_you_mean
from .codegen.project.progress import Progress
from .codegen.verify.calls.samples import Drawing, SampledArgument, sample_calls
from .generated.registry import OPS
from .runtime.dispatch.registry import Op
from .runtime.tensor import dtypes

KINDS = {"b": "bool", "i": "int", "f": "float", "c": "complex"}


class Compiled(event.Listener):
    """Counts the kernels that are compiled and put into the cache."""

    def __init__(self) -> None:
        self.count = 0

    def on_start(self, event: Any) -> None:
        self.count += event.data["dispatcher"].stats.cache_path is not None

    def on_end(self, event: Any) -> None:
        """Nothing is done when a compilation ends."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the exit status is 0 when all is well."""
    options = arguments(sys.argv[1:] if argv is None else argv)
    ops = chosen(options.names)
    if ops is None:
        return 2
    begin, compiled = time.perf_counter(), Compiled()
    with event.install_listener("numba:compile", compiled):
        if options.script:
            run_script(options.script)
        else:
            requested = [getattr(sg, name) for name in options.dtypes]
            with Progress(len(ops), "ops") as progress:
                for op in ops:
                    warm(op, requested)
                    progress.step()
            for dtype in [] if options.names else requested:
                draw(dtype)
    print(f"{compiled.count} kernels compiled in {time.perf_counter() - begin:.1f} s")
    return 0


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    known = sorted({repr(value).removeprefix("specgrad.") for value in vars(dtypes).values() if is_dtype(value)})
    parser = argparse.ArgumentParser(
        prog="python -m specgrad.warmup", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="OP", help="an op, with all its overloads, or one overload")
    parser.add_argument("--dtypes", nargs="+", default=["float32"], choices=known, metavar="DTYPE")
    parser.add_argument("--script", nargs=argparse.REMAINDER, help="a script to run, and its arguments")
    options = parser.parse_args(argv)
    if options.script == [] or (options.script and options.names):
        parser.error("expected ops, or --script with the path of a script")
    return options


def is_dtype(value: Any) -> bool:
    return isinstance(value, dtypes.dtype)


def chosen(names: Sequence[str]) -> list[Op] | None:
    """The ops that names stand for, all for none; None after saying which name is unknown."""
    bases = {op.name.partition(".")[0] for op in OPS} | {op.name for op in OPS}
    for name in names:
        if name not in bases:
            print(f"warmup: no op named '{name}'{did_you_mean(name, bases)}", file=sys.stderr)
            return None
    return [op for op in OPS if not names or op.name in names or op.name.partition(".")[0] in names]


def run_script(command: Sequence[str]) -> None:
    """Run a script as Python would, with its folder in front of the path; leaving it early is no error."""
    before, sys.argv = (sys.argv, sys.path[:]), list(command)
    sys.path.insert(0, str(Path(command[0]).resolve().parent))
    try:
        runpy.run_path(command[0], run_name="__main__")
    except SystemExit as leaving:
        if leaving.code not in (None, 0):
            raise
    finally:
        sys.argv, sys.path[:] = before


def warm(op: Op, requested: Sequence[Any]) -> None:
    """Call an op in every one of these dtypes that it computes in."""
    for dtype in requested:
        if not op.dtypes or KINDS[dtype.kind] in op.dtypes:
            for text in sample_calls(op):
                for call in calls(op, text, dtype):
                    attempt(call)


def draw(dtype: Any) -> None:
    """Draw from each distribution that has a kernel, in a dtype; the user's generator stays where it was."""
    state = sg.get_rng_state()
    x = sg.full((4,), 0.5).to(dtype)
    for call in (x.uniform_, x.normal_, x.exponential_, x.bernoulli_, partial(x.random_, 9)):
        attempt(call)
    for call in (partial(sg.nn.functional.dropout, x), partial(sg.poisson, x), partial(sg.binomial, x + 1, x)):
        attempt(call)
    attempt(partial(sg.randperm, 4, dtype=dtype))
    attempt(partial(sg.randint, 9, (4,), dtype=dtype))
    sg.set_rng_state(state)


def attempt(call: Callable[[], object]) -> None:
    """Make a call; one that the op refuses in this dtype needs no kernel."""
    with np.errstate(all="ignore"):
        try:
            call()
        except (IndexError, NotImplementedError, RuntimeError, TypeError, ValueError):
            return


def calls(op: Op, text: str, dtype: Any) -> Iterator[Callable[[], object]]:
    """A sample as calls: with gradients for each choice of inputs, without any, in place, and with a number."""
    example_args = Drawing(op, text, dtype.kind == "c", dtypes).arguments(text)
    for mask in op.masks or [(1 << len(op.inputs)) - 1]:
        leaves = [name for bit, name in enumerate(op.inputs) if mask >> bit & 1]
        yield partial(differentiated, op, tensors(example_args, dtype, leaves))
    if op.inplace is not None:
        yield partial(op.inplace, **tensors(example_args, dtype))
    if op.takes_number:
        yield partial(differentiated, op, tensors(example_args, dtype, ["self"]) | {op.arguments[1][0]: 2.0})


def tensors(example_args: dict[str, Any], dtype: Any, leaves: Sequence[str] = ()) -> dict[str, Any]:
    """The arguments of a call: indices and masks as they are, numbers in the dtype, `leaves` requiring gradients."""

    def made(name: str, value: Any) -> Any:
        if isinstance(value, list):
            return [made(name, item) for item in value]
        if not isinstance(value, SampledArgument):
            return value
        if value.array.dtype.kind in "ib":
            return sg.tensor(value.array)
        tensor = sg.tensor(np.ceil(value.array) if dtype.kind in "ib" else value.array).to(dtype)
        return tensor.requires_grad_() if name in leaves and dtype.kind in "fc" else tensor

    return {"input" if name == "self" else name: made(name, value) for name, value in example_args.items()}


def differentiated(op: Op, kwargs: dict[str, Any]) -> None:
    """One call, and backward from its outputs, twice, so that gradients are also added up."""
    if "(a!)" in op.schema.partition("->")[0]:  # an op that only exists in place
        kwargs["input"] = kwargs["input"].clone()
    result = op.function(**kwargs)
    outputs = [out for out in ((result,) if isinstance(result, sg.Tensor) else result) if out.requires_grad]
    for _ in range(2 if outputs else 0):
        sg.autograd.backward(outputs, [sg.ones_like(out) for out in outputs], retain_graph=True)


if __name__ == "__main__":
    sys.exit(main())
