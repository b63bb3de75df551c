"""One call of each entry on the device beside the CPU: what differs is listed.

python -m benchmarks.gpu.launches [--first N]
"""

from __future__ import annotations

import argparse
import warnings

import specgrad as sg
from tests.device.cuda.comparison import UP_TO_PHASE, same, shown
from tests.generated.calls import BY_NAME, NAMES, Style, call_sources, run


def differs(name: str, text: str) -> str:
    """How a call on the device differs from the same one on the CPU; empty where it does not."""
    sg.manual_seed(0)
    try:
        expected = run(name, text, Style(sg.float32))
    except Exception:  # no call: some samples show what is refused
        return ""
    sg.manual_seed(0)
    try:
        result = run(name, text, Style(sg.float32, device="cuda"))
        sg.cuda.synchronize()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    pairs = zip(map(shown, result), map(shown, expected), strict=True)
    close = [same(f, e, 1e-4, name in UP_TO_PHASE) for f, e in pairs]
    return "" if all(close) else "other values"


def main() -> int:
    """Call the first sample of each entry; 1 if one differs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu.launches", description=__doc__)
    parser.add_argument("--first", type=int, default=len(NAMES), help="how many entries")
    names = NAMES[: parser.parse_args().first]
    sg.backends.cudnn.allow_tf32 = False  # as the CPU computes
    wrong = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in names:
            for text in call_sources(BY_NAME[name])[:1]:
                message = differs(name, text)
                wrong += bool(message)
                if message:
                    print(f"{name}({text}): {message}", flush=True)
    print(f"{len(names)} entries, {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    raise SystemExit(main())
