"""The bits of results and gradients of ops at their samples: `python -m tests.generated.sample_bits PART PARTS`."""

from __future__ import annotations

import hashlib
import json
import sys
import warnings

import specgrad as sg

from .calls import BY_NAME, NAMES, Style, call_sources, outputs_and_gradients

STYLE = Style(sg.float32, grad=True)
FLOATS = [name for name in NAMES if "float" in BY_NAME[name].dtypes and not name.startswith("float_power_.")]


def bits_of(name: str) -> str:
    """A hash of values and gradients at all samples: those of the third call, which finds what it looks up."""
    found = hashlib.sha256()
    for text in call_sources(BY_NAME[name]):
        for _ in range(3):
            outputs, gradients = outputs_and_gradients(name, text, STYLE)
        for result in [*outputs, *gradients]:
            found.update(b"none" if result is None else result.numpy(force=True).tobytes())
    return found.hexdigest()


def bits(part: int, parts: int) -> dict[str, str]:
    """Those of every op of a part of all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: bits_of(name) for name in FLOATS[part::parts]}


if __name__ == "__main__":
    print(json.dumps(bits(*map(int, sys.argv[1:]))))
