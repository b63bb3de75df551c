"""Calls with a number far too large in the place of each integer, made in a process with little memory.

Run with the numbers of the first call, of the step and the seconds that one may take; it prints each call's number
before the call, and what came of it. One that takes longer ends the process, and says where it was.
"""

from __future__ import annotations

import ast
import faulthandler
import resource
import sys
from collections.abc import Callable, Iterator
from inspect import signature
from typing import Any

import specgrad as sg
from specgrad.generated.registry import OPS
from tests.generated.calls import Style, arguments, call, call_sources

HUGE = (2**31, 2**40, 2**62, -(2**31))
MEMORY = 2 << 30  # bytes more than the process has when it begins
REFUSED = (RuntimeError, ValueError, TypeError, IndexError, AssertionError)  # NotImplementedError is a RuntimeError
WRITTEN = [  # layers' functions, containers and modules, whose integers are exchanged one at a time
    "F.conv1d(r(1, 2, 9), r(2, 2, 3), None, 1, 1, 1, 1)",
    "F.conv2d(r(1, 2, 9, 9), r(2, 2, 3, 3), None, (1, 2), (1, 0), (1, 2), 1)",
    "F.conv3d(r(1, 2, 5, 5, 5), r(2, 2, 3, 3, 3), None, 1, 1, 1, 1)",
    "F.conv_transpose1d(r(1, 2, 9), r(2, 2, 3), None, 2, 1, 1, 1, 1)",
    "F.conv_transpose2d(r(1, 2, 4, 4), r(2, 2, 3, 3), None, (2, 1), (1, 0), (1, 0), 1, (1, 2))",
    "F.conv_transpose3d(r(1, 2, 3, 3, 3), r(2, 2, 2, 2, 2), None, 2, 1, 1, 1, 1)",
    "F.max_pool1d(r(1, 2, 9), 3, 2, 1, 1)",
    "F.max_pool2d(r(1, 2, 9, 9), (3, 2), 2, 1, 1, return_indices=True)",
    "F.max_pool3d(r(1, 2, 5, 5, 5), 3, 2, 1, 1)",
    "F.max_unpool1d(r(1, 2, 2), i(1, 2, 2), 2, 2, 0, (4,))",
    "F.max_unpool2d(r(1, 2, 2, 2), i(1, 2, 2, 2), 2, 2, 0, (4, 4))",
    "F.avg_pool1d(r(1, 2, 9), 3, 2, 1)",
    "F.avg_pool2d(r(1, 2, 9, 9), 3, 2, 1, False, True, 3)",
    "F.avg_pool3d(r(1, 2, 5, 5, 5), 3, 2, 1)",
    "F.lp_pool1d(r(1, 2, 9), 2, 3, 2)",
    "F.lp_pool2d(r(1, 2, 9, 9), 2, 3, 2)",
    "F.adaptive_avg_pool1d(r(1, 2, 9), 3)",
    "F.adaptive_avg_pool2d(r(1, 2, 9, 9), (3, 2))",
    "F.adaptive_avg_pool3d(r(1, 2, 5, 5, 5), (3, 2, 2))",
    "F.adaptive_max_pool1d(r(1, 2, 9), 3)",
    "F.adaptive_max_pool2d(r(1, 2, 9, 9), (3, 2))",
    "F.adaptive_max_pool3d(r(1, 2, 5, 5, 5), (3, 2, 2))",
    "F.fractional_max_pool2d(r(1, 2, 9, 9), 2, 3)",
    "F.fractional_max_pool3d(r(1, 2, 5, 5, 5), 2, 3)",
    "F.unfold(r(1, 2, 9, 9), 3, 1, 1, 2)",
    "F.fold(r(1, 8, 9), (4, 4), 2, 1, 0, 1)",
    "F.interpolate(r(1, 2, 9), 5)",
    "F.interpolate(r(1, 2, 9), scale_factor=2)",
    "F.interpolate(r(1, 2, 9, 9), (5, 7), mode='bilinear')",
    "F.interpolate(r(1, 2, 9, 9), (5, 7), mode='bicubic', antialias=True)",
    "F.interpolate(r(1, 2, 5, 5, 5), (5, 7, 2), mode='trilinear')",
    "F.interpolate(r(1, 2, 9, 9), scale_factor=(2, 3), mode='area')",
    "F.pad(r(1, 2, 9), (1, 2))",
    "F.pad(r(1, 2, 9), (1, 2), 'reflect')",
    "F.pad(r(1, 2, 9), (1, 2), 'circular')",
    "F.pad(r(1, 2, 9, 9), (1, 2, 0, 1), 'replicate')",
    "F.pixel_shuffle(r(1, 8, 3, 3), 2)",
    "F.pixel_unshuffle(r(1, 2, 4, 4), 2)",
    "F.channel_shuffle(r(1, 8, 3, 3), 2)",
    "F.one_hot(i(3), 5)",
    "F.embedding(i(3), r(5, 2), 1)",
    "F.embedding_bag(i(3), r(5, 2), i(1))",
    "F.group_norm(r(2, 8, 3), 4)",
    "F.local_response_norm(r(1, 4, 5), 3)",
    "F.layer_norm(r(2, 8), (8,))",
    "F.affine_grid(r(1, 2, 3), (1, 1, 3, 3))",
    "F.glu(r(4, 4), 1)",
    "F.softmax(r(4, 4), 1)",
    "F.cosine_similarity(r(4, 4), r(4, 4), 1)",
    "F.nll_loss(r(4, 4), i(4), None, None, 1)",
    "F.cross_entropy(r(4, 4), i(4), None, None, 1)",
    "F.ctc_loss(r(5, 1, 4), i(1, 2), t([5]), t([2]), 0)",
    "F.multi_margin_loss(r(4, 4), i(4), 1, 1)",
    "F.gumbel_softmax(r(4, 4), 1, False, 1, 1)",
    "F.dropout(r(4, 4), 1)",
    "R.pack_padded_sequence(r(4, 2, 3), t([4, 2]))",
    "R.pack_padded_sequence(r(4, 2, 3), [4, 2])",
    "R.pad_packed_sequence(R.PackedSequence(r(6, 3), t([2, 2, 1, 1])), False, 0, 5)",
    "R.unpack_sequence(R.PackedSequence(r(6, 3), t([2, 2, 1, 1])))",
    "R.pad_packed_sequence(R.PackedSequence(r(6, 3), t([2, 2, 1, 1]), t([0, 1]), t([0, 1])))",
    "sg.nn.LSTM(3, 4)(R.PackedSequence(r(6, 3), t([2, 2, 1, 1])))",
    "sg.nn.GRU(3, 4)(r(2, 3, 3))",  # as many layers are as many modules, so nobody asks for 2^31
    "sg.nn.LSTM(3, 4, proj_size=2)(r(2, 3, 3))",
    "R.unpad_sequence(r(4, 2, 3), t([4, 2]))",
    "sg.nn.Linear(3, 4)",
    "sg.nn.Bilinear(3, 4, 2)",
    "sg.nn.Embedding(3, 4, 1)",
    "sg.nn.EmbeddingBag(3, 4)",
    "sg.nn.Conv2d(2, 4, 3, 1, 1, 1, 2)",
    "sg.nn.ConvTranspose2d(2, 4, 3, 1, 1, 0, 2)",
    "sg.nn.MultiheadAttention(4, 2)",
    "sg.nn.Transformer(4, 2)",
    "sg.nn.AdaptiveLogSoftmaxWithLoss(4, 10, [2, 5])",
    "sg.nn.Unflatten(1, (2, 3))(r(2, 6))",
    "sg.nn.Flatten(1, 2)(r(2, 3, 4))",
    "sg.nn.CrossMapLRN2d(3)(r(1, 4, 3, 3))",
    "sg.nn.BatchNorm1d(3)",
    "sg.arange(0, 5, 1)",
    "sg.arange(5)",
    "sg.linspace(0, 1, 5)",
    "sg.logspace(0, 1, 5)",
    "sg.zeros(2, 3)",
    "sg.rand(2, 3)",
    "sg.randint(0, 5, (2, 3))",
    "sg.randperm(5)",
    "sg.full((2, 3), 1)",
    "sg.empty(2, 3)",
    "sg.empty_strided((2, 3), (3, 1))",
    "sg.eye(3, 2)",
    "sg.tril_indices(3, 3, 0)",
    "sg.triu_indices(3, 3, 0)",
    "sg.vander(r(3), 4)",
    "sg.combinations(r(4), 2)",
    "sg.cartesian_prod(r(4), r(2))",
    "sg.bincount(i(3), minlength=4)",
    "sg.histc(r(9), 4, 0, 1)",
    "sg.histogram(r(9), 4)",
    "sg.histogramdd(r(9, 2), [4, 4])",
    "sg.chunk(r(9), 3)",
    "sg.split(r(9), 3)",
    "sg.split(r(9), [4, 5])",
    "sg.tensor_split(r(9), 3)",
    "sg.tensor_split(r(9), (2, 5))",
    "sg.repeat_interleave(r(3), 2)",
    "sg.repeat_interleave(r(3), t([2, 1, 0]))",
    "sg.repeat_interleave(t([2, 1, 0]), output_size=3)",
    "r(3).repeat(2, 3)",
    "sg.tile(r(3), (2, 3))",
    "r(3, 1).expand(3, 4)",
    "r(6).unfold(0, 3, 1)",
    "r(6).as_strided((2, 3), (3, 1), 0)",
    "r(6).resize_(2, 3)",
    "r(6).view(2, 3)",
    "r(6).reshape(2, 3)",
    "r(6).unflatten(0, (2, 3))",
    "r(6).narrow(0, 1, 2)",
    "r(6).roll(2, 0)",
    "sg.rot90(r(3, 3), 1, (0, 1))",
    "sg.diff(r(6), 2)",
    "sg.diag(r(3), 1)",
    "sg.diagflat(r(3), 1)",
    "sg.diag_embed(r(3), 1)",
    "sg.multinomial(r(4), 2, True)",
    "sg.normal(0, 1, (2, 3))",
    "sg.kthvalue(r(5), 2)",
    "sg.topk(r(5), 2)",
    "sg.stft(r(64), 16, 4, 16, sg.ones(16), return_complex=True)",
    "sg.istft(sg.stft(r(64), 16, 4, 16, sg.ones(16), return_complex=True), 16, 4, 16, sg.ones(16), length=32)",
    "sg.hann_window(8)",
    "sg.kaiser_window(8)",
    "sg.fft.fft(r(8), 6)",
    "sg.fft.fftn(r(8, 8), (4, 6))",
    "sg.fft.irfft(r(8), 6)",
    "sg.fft.hfft(r(8), 6)",
    "sg.fft.fftfreq(6)",
    "sg.linalg.matrix_power(r(3, 3), 3)",
    "sg.linalg.vander(r(3), N=4)",
    "sg.linalg.tensorinv(r(4, 2, 2), 1)",
    "sg.linalg.householder_product(r(4, 2), r(2))",
    "sg.tensordot(r(3, 4), r(4, 3), 1)",
    "sg.einsum(r(2, 3), [0, 1], [1, 0])",
    "sg.special.polygamma(3, r(3))",
    "sg.special.multigammaln(r(3) + 9, 3)",
    "sg.special.hermite_polynomial_h(r(3), 4)",
    "sg.special.chebyshev_polynomial_t(r(3), 4)",
    "sg.block_diag(r(2, 2), r(3))",
    "sg.narrow_copy(r(6), 0, 1, 2)",
    "sg.svd_lowrank(r(9, 9), 3)",
    "sg.pca_lowrank(r(9, 9), 3)",
    "sg.bitwise_left_shift(i(3), 2)",
    "sg.pow(r(3), 2)",
    "sg.pow(2, i(3))",
    "sg.quantile(r(9), 1)",
    "sg.searchsorted(r(9), 1)",
    "sg.unravel_index(i(3), (4, 5))",
    "sg.nn.utils.vector_to_parameters(r(6), [r(2, 3)])",
    "sg.utils.data.DataLoader(range(5), 2)",
    "sg.utils.data.random_split(range(5), [2, 3])",
    "list(sg.utils.data.RandomSampler(range(5), num_samples=3, replacement=True))[:1]",
    "next(iter(sg.utils.data.BatchSampler(range(5), 2, False)), None)",
    "sg.autograd.functional.jacobian(lambda x: x.repeat(2), r(2))",
    "sg.vmap(lambda x: x * 2, 0, 0, chunk_size=2)(r(4, 2))",
]
SAMPLER_LOOPS = {  # tensors; their own sizes stay
    "r": lambda *shape: sg.rand(*shape),
    "i": lambda *shape: sg.arange(int(sg.zeros(shape).numel())).reshape(shape) % 3,
    "t": lambda values: sg.tensor(values),
}
NAMES = {"sg": sg, "F": sg.nn.functional, "R": sg.nn.utils.rnn, **SAMPLER_LOOPS}
PUBLIC = [
    ("", sg),
    ("", sg.Tensor),
    ("", sg.nn.functional),
    ("linalg_", sg.linalg),
    ("special_", sg.special),
    ("fft_", sg.fft),
]
Case = tuple[str, Callable[[], Any]]


def with_numbers(value: Any) -> Iterator[Any]:
    """The value with each of its integers exchanged for huge ones, one at a time."""
    if type(value) is int:
        yield from HUGE
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            for new in with_numbers(item):
                yield type(value)([*value[:index], new, *value[index + 1 :]])


def op_cases() -> Iterator[Case]:
    """Of each op of the registry, its first samples; integers that they leave out are given."""
    for op in OPS:
        if not any(hasattr(space, op.name.removeprefix(prefix)) for prefix, space in PUBLIC):
            continue  # others are called by layers, with sizes that these have looked at
        for text in call_sources(op)[:2]:
            given = arguments(op.name, text, Style(sg.float32))
            left_out = {
                name: parameter.default
                for name, parameter in signature(op.function).parameters.items()
                if type(parameter.default) is int and name not in given
            }
            for key, value in {**given, **left_out}.items():
                for new in with_numbers(value):
                    changed = {**given, key: new}
                    yield f"{op.name}: {text} with {key}={new}", lambda op=op, g=changed: call(op, g)  # type: ignore[misc]


def written_cases() -> Iterator[Case]:
    """Of the calls written above."""
    for text in WRITTEN:
        numbers = list(_numbers(ast.parse(text, mode="eval")))
        for number in numbers:
            for new in HUGE:
                before, after = text[: number.col_offset], text[number.end_col_offset :]
                changed = f"{before}{new}{after}"
                yield changed, lambda code=changed: eval(code, dict(NAMES))  # type: ignore[misc]


def _numbers(node: ast.AST) -> Iterator[ast.Constant]:
    """Integers in a call, but for those of the shapes of tensors."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        yield node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("r", "i"):
        return
    for child in ast.iter_child_nodes(node):
        yield from _numbers(child)


def cases() -> list[Case]:
    """All of them, in an order that does not change."""
    return [*written_cases(), *op_cases()]


def limit_memory() -> None:
    """Refuse what would not fit into MEMORY."""
    with open("/proc/self/statm", encoding="utf-8") as file:
        now = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))


def attempt(function: Callable[[], Any]) -> str:
    """What came of a call."""
    try:
        result = function()
        for output in result if isinstance(result, tuple) else (result,):
            if isinstance(output, sg.Tensor) and output.requires_grad and output.numel() < 1000:
                output.sum().backward()
    except REFUSED:
        return "refused"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "done"


def main() -> None:
    """Make the calls that the command line asks for."""
    first, step, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    found = cases()
    limit_memory()
    for number in range(first, len(found), step):
        print(number, flush=True)
        faulthandler.dump_traceback_later(seconds, exit=True)
        print(attempt(found[number][1]), flush=True)
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
