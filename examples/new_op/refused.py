"""A wrong formula never gets into a program: run the generator on wrong_ops.yaml and show what it says."""

import subprocess
import sys
import tempfile
from pathlib import Path

SPEC = Path(__file__).with_name("wrong_ops.yaml")


def main() -> int:
    """Run the generator on the wrong spec; 0 when it named a line of the spec and wrote nothing."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "wrong_ops")
        command = [sys.executable, "-m", "specgrad.codegen", str(SPEC), "--out", str(out)]
        done = subprocess.run(command, capture_output=True, text=True)
        written = out.exists()
    message = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith(f"{SPEC.name}:")]
    refused = done.returncode != 0 and bool(message) and not written
    outcome = "refused, and nothing is written:" if refused else "NOT REFUSED:"
    print("A wrong formula (examples/new_op/wrong_ops.yaml) is", outcome)
    print("\n".join("    " + line for line in (message or [done.stdout + done.stderr])))
    return 0 if refused else 1


if __name__ == "__main__":
    sys.exit(main())
