"""Results do not depend on the number of threads, to the last bit; and a process that was forked computes as before."""

import json
import subprocess
import sys

import pytest

HASHES = """
import hashlib, json, os, sys
import specgrad as sg
F = sg.nn.functional

def drawn(dtype, *shapes):
    sg.manual_seed(0)
    return [sg.randn(*shape, dtype=dtype).requires_grad_() for shape in shapes]

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
    "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), (64, 16, 130, 130)),
    "attention": (F.scaled_dot_product_attention, *[(4, 4, 150, 64)] * 3),
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
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=300).stdout


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_are_the_same(dtype: str) -> None:
    """Values and gradients of everything that threads share are bit-equal for one, two and four of them."""
    one, two, four = json.loads(run(SAME, dtype))
    assert {name for name in one if not one[name] == two[name] == four[name]} == set()


def test_forked_processes_have_threads_of_their_own() -> None:
    """A fork of a process whose threads are at work computes the same with new ones, and so does the parent."""
    assert run(FORKED) == ""
