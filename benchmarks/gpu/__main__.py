"""All stages on the GPU of this machine, or on the simulated one: each prints its line, also when one fails.

python -m benchmarks.gpu [--seconds 600]
"""

from __future__ import annotations

import argparse
import json
import os
import time
import traceback
from pathlib import Path
from typing import Any

from . import measurements, stages


def main() -> int:
    """Run the stages; 1 if one has failed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="for all stages together")
    end = time.monotonic() + parser.parse_args().seconds
    results: dict[str, Any] = {}
    for name, run in (
        ("environment", stages.environment),
        ("ceilings", measurements.ceilings),
        ("launches", stages.launches),
        ("measurements", measurements.all_of_them),
        ("large arrays", measurements.large),
        ("sanitizer", stages.sanitizer),
        ("suite", stages.suite),
    ):
        results[name] = outcome(name, run, end - time.monotonic())
    path = Path(os.environ.get("OUT", ".")) / "gpu.json"
    path.write_text(json.dumps(results, indent=1, default=str), encoding="utf-8")
    print(f"written to {path}")
    return int(any("error" in result for result in results.values()))


def outcome(name: str, run: Any, seconds: float) -> dict[str, Any]:
    """What a stage found, or how it failed."""
    start = time.monotonic()
    try:
        result = run(max(seconds, 1.0))
    except Exception as error:
        result = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
    text = result.get("error") or ", ".join(f"{key} {value}" for key, value in result.items() if key != "output")
    print(f"{name} ({time.monotonic() - start:.0f} s): {text}", flush=True)
    return result


if __name__ == "__main__":
    raise SystemExit(main())
