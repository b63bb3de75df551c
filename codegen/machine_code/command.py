"""`python -m codegen cubins`: compile the kernels that come with specgrad, where their text or the compiler changed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def cubins_command(argv: Sequence[str]) -> int:
    """Build, or with --check only say what is stale; 1 where something is."""
    parser = argparse.ArgumentParser(prog="python -m codegen cubins", description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare; exit 1 when stale")
    record = "run the samples of the spec, and note the signatures of the texts that are written by hand"
    parser.add_argument("--record", action="store_true", help=record)
    options = parser.parse_args(argv)
    if options.record:
        from .recording import record as recorded

        print(f"{recorded()} signatures of texts")
        return 0
    from .build import build, stale

    if not options.check:
        print(f"{build()} kernels compiled")
        return 0
    result = stale()
    for label in result[:20]:
        print(f"stale: {label}", file=sys.stderr)
    return 1 if result else 0
