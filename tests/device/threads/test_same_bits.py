"""Results do not depend on the number of threads, to the last bit; and a process that was forked computes as before."""

import json
import subprocess
import sys

import pytest

from tests.patience import PATIENCE

HASHES = """
import hashlib, json, os, sys
import specgrad as sg
from specgrad.runtime.device.threads import job as layout
F = sg.nn.functional
layout.LARGE = 1 << 12  # elements that threads share

def drawn(dtype, *shapes):
    sg.manual_seed(0)
    return [sg.randn(*shape, dtype=dtype).requires_grad_() for shape in shapes]

def through(layer):
    def run(x):
        layer.to(x.dtype)
        sg.manual_seed(1)
        for p in layer.parameters():
            p.data = sg.randn(*p.shape, dtype=x.dtype) / 8
        output, _ = layer(x)
        slopes = sg.autograd.grad(output.square().sum(), layer.parameters(), retain_graph=True)
        return output + sum(slope.sum() for slope in slopes)
    return run

CASES = {
    "mm": (lambda a, b: a @ b, (300, 300), (300, 400)),
    "mm of transposed": (lambda a, b: a.t() @ b.t(), (300, 390), (400, 300)),
    "mm of a row": (lambda a, b: a @ b, (1, 1100), (1100, 1030)),
    "mm of a column": (lambda a, b: a @ b, (1100, 1030), (1030, 1)),
    "mv": (lambda a, b: a @ b, (1030, 1100), (1100,)),
    "mv of transposed": (lambda a, b: a.t() @ b, (1100, 1030), (1100,)),
    "dot": (lambda a, b: a @ b, (600_000,), (600_000,)),
    "bmm": (lambda a, b: a @ b, (5, 200, 200), (5, 200, 210)),
    "bmm of rows": (lambda a, b: a @ b, (9, 1, 300), (9, 300, 400)),
    "linear": (F.linear, (3, 300, 200), (210, 200), (210,)),
    "conv1d": (F.conv1d, (4, 32, 900), (48, 32, 5), (48,)),
    "conv2d": (F.conv2d, (4, 32, 30, 30), (48, 32, 3, 3), (48,)),
    "conv2d of patches": (lambda x, w: F.conv2d(x, w, stride=16), (4, 3, 224, 224), (96, 3, 16, 16)),
    "conv2d in groups": (lambda x, w: F.conv2d(x, w, groups=4), (4, 32, 60, 60), (48, 8, 3, 3)),
    "conv2d depthwise": (lambda x, w: F.conv2d(x, w, groups=32), (8, 32, 90, 90), (32, 1, 3, 3)),
    "conv_transpose2d": (lambda x, w: F.conv_transpose2d(x, w, stride=2), (4, 32, 30, 30), (32, 24, 4, 4)),
    "conv2d of one element": (F.conv2d, (3, 32, 30, 30), (70, 32, 1, 1), (70,)),
    "interpolate nearest": (lambda x: F.interpolate(x, scale_factor=2), (3, 5, 40, 50)),
    "interpolate bilinear": (lambda x: F.interpolate(x, size=(37, 91), mode="bilinear"), (3, 5, 40, 50)),
    "pad reflect": (lambda x: F.pad(x, (3, 4, 5, 6), mode="reflect"), (3, 5, 40, 50)),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (7, 9)), (13, 5, 40, 50)),
    "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), (64, 16, 130, 130)),
    "attention": (F.scaled_dot_product_attention, *[(4, 4, 150, 64)] * 3),
    "attention with a bias": (F.scaled_dot_product_attention, *[(2, 3, 99, 32)] * 3, (99, 99)),
    "elementwise": (lambda a, b: (a * b).exp() / (1 + b * b), (70_001,), (70_001,)),
    "elementwise, large": (lambda a, b: sg.atan2(a, b).erf(), (600_001,), (600_001,)),
    "with a number": (lambda a: a * 2.5 - 1, (100_003,)),
    "rows and columns": (lambda a, b, c: a * b + c, (301, 403), (403,), (301, 1)),
    "three dimensions": (lambda a, b: a + b, (31, 1, 203), (1, 53, 203)),
    "transposed": (lambda a, b: a + b.t(), (301, 403), (403, 301)),
    "copies": (lambda a: a.permute(1, 2, 0).contiguous(), (53, 64, 99)),
    "cat": (lambda a, b, c: sg.cat([a, b, c], 1), (301, 403), (301, 900), (301, 1)),
    "sum": (lambda a: a.sum(), (300_017,)),
    "sum of rows": (lambda a: a.sum(1), (303, 403)),
    "sum of columns": (lambda a: a.sum(0), (403, 303)),
    "sum of few columns": (lambda a: a.sum(0), (90_001, 3)),
    "mean of the middle": (lambda a: a.mean(1), (13, 99, 103)),
    "var of rows": (lambda a: a.var(1), (303, 403)),
    "var of columns": (lambda a: a.var(0), (403, 303)),
    "norm": (lambda a: a.norm(dim=0), (403, 303)),
    "logsumexp": (lambda a: a.logsumexp(0), (403, 303)),
    "extremes": (lambda a: a.amax(1) + a.amin(1), (603, 503)),
    "greatest": (lambda a: a.max(0).values, (403, 703)),
    "softmax": (lambda a: a.softmax(1), (303, 403)),
    "softmax of columns": (lambda a: a.log_softmax(0), (303, 403)),
    "cumsum": (lambda a: a.cumsum(1), (303, 403)),
    "cumsum of columns": (lambda a: a.cumsum(0), (403, 303)),
    "cumsum of one row": (lambda a: a.cumsum(0), (100_003,)),
    "cumprod": (lambda a: (1 + a / 100).cumprod(1), (303, 403)),
    "cumprod of columns": (lambda a: (1 + a / 100).cumprod(0), (403, 303)),
    "logcumsumexp": (lambda a: a.logcumsumexp(1), (303, 403)),
    "logcumsumexp of columns": (lambda a: a.logcumsumexp(0), (403, 303)),
    "sort": (lambda a: a.sort(1).values, (303, 1403)),
    "topk": (lambda a: a.topk(5).values, (303, 403)),
    "gather": (lambda a: a.gather(0, (sg.arange(90_000) % 301).reshape(300, 300)), (301, 300)),
    "index_add": (lambda a, b: a.index_add(0, sg.arange(500) % 7, b), (301, 300), (500, 300)),
    "embedding": (lambda a: F.embedding(sg.arange(3000) % 71, a), (71, 64)),
    "cross_entropy": (lambda a: F.cross_entropy(a, sg.arange(903) % 103), (903, 103)),
    "cross_entropy of places": (lambda a: F.cross_entropy(a, sg.arange(900).reshape(9, 100) % 103), (9, 103, 100)),
    "layer_norm": (lambda a, w, b: F.layer_norm(a, (203,), w, b), (403, 203), (203,), (203,)),
    "rms_norm": (lambda a, w: F.rms_norm(a, (203,), w), (403, 203), (203,)),
    "group_norm": (lambda a, w, b: F.group_norm(a, 4, w, b), (9, 12, 31, 33), (12,), (12,)),
    "batch_norm": (lambda a, w, b: F.batch_norm(a, None, None, w, b, True), (9, 12, 31, 33), (12,), (12,)),
    "batch_norm of columns": (lambda a, w, b: F.batch_norm(a, None, None, w, b, True), (403, 203), (203,), (203,)),
    "lstm": (through(sg.nn.LSTM(20, 96, proj_size=40)), (20, 11, 20)),
    "gru": (through(sg.nn.GRU(20, 96)), (20, 11, 20)),
    "rnn": (through(sg.nn.RNN(20, 150)), (20, 11, 20)),
}

def hashes(name, dtype):
    function, *shapes = CASES[name]
    given = drawn(dtype, *shapes)
    result = function(*given)
    found = [result, *sg.autograd.grad(result, given, sg.ones_like(result))]
    return [hashlib.sha256(t.detach().numpy().tobytes()).hexdigest() for t in found]

def all_hashes(threads, dtype):
    sg.set_num_threads(threads)
    return {name: hashes(name, getattr(sg, dtype)) for name in CASES}
"""
SAME = """
print(json.dumps([all_hashes(threads, sys.argv[1]) for threads in (1, 2, 4)]))
"""
FORKED = """
if not hasattr(os, "fork"):  # on Windows there is none
    sys.exit()
sg.set_num_threads(2)
before = [hashes(name, sg.float32) for name in ("mm", "mv", "conv2d")]  # now there are threads
child = os.fork()
if not child:
    os._exit(before != [hashes(name, sg.float32) for name in ("mm", "mv", "conv2d")])
assert os.waitpid(child, 0)[1] == 0
assert before == [hashes(name, sg.float32) for name in ("mm", "mv", "conv2d")]
"""


def run(code: str, *arguments: str) -> str:
    """What a program prints; in a process of its own, for the number of threads is a global setting."""
    command = [sys.executable, "-c", HASHES + code, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE).stdout


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_are_the_same(dtype: str) -> None:
    """Values and gradients of everything that threads share are bit-equal for one, two and four of them."""
    one, two, four = json.loads(run(SAME, dtype))
    assert {name for name in one if not one[name] == two[name] == four[name]} == set()


def test_forked_processes_have_threads_of_their_own() -> None:
    """A fork of a process whose threads are at work computes the same with new ones, and so does the parent."""
    assert run(FORKED) == ""
