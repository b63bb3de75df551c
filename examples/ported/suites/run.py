"""Runs test-suites of public packages on PyTorch, and what passes there with specgrad in the place of torch.

TORCH_PYTHON=... python examples/ported/suites/run.py          all of suites.yaml
TORCH_PYTHON=... python examples/ported/suites/run.py einops   those of these names

writes its part of docs/ported.md: what this run has found, and of others what was found last. The tests are those of
the source archives on PyPI; they lie in out/ported/suites (--folder), each package in a folder, with what became of
each test. TORCH_PYTHON is an interpreter that has PyTorch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tarfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parents[1]))

from environment import ROOT, Environment, torch_beside
from page import write_suites

HERE = Path(__file__).parent
A_TEST = 30  # seconds that one test may take
A_SUITE = 90  # and all that are run of a package, with PyTorch
PYTEST = ["-m", "pytest", "-q", "--continue-on-collection-errors", "-p", "outcomes", "-p", "no:cacheprovider"]
PYTEST += ["-o", "addopts="]  # which name plugins of those who develop the packages
LONGER = 10  # how much more time specgrad gets for the same tests, most of which it takes to compile what they call


@dataclass
class Suite:
    """What became of a package's tests."""

    name: str
    version: str
    part: str
    of_torch: int  # tests that pass on PyTorch
    same: int  # of these, with specgrad
    by_draws: int  # of the others, how many fail on PyTorch where it draws specgrad's numbers
    seconds: float
    torch_seconds: float


def unpacked(environment: Environment, suite: dict[str, Any]) -> Path | str:
    """The folder with the package's source as it is on PyPI, or why there is none."""
    name = suite["name"]
    release = f"{name}=={environment.version_of(name)}"
    folder = environment.folder / "suites" / release
    if not folder.exists():
        folder.mkdir(parents=True)
        command = ["-m", "pip", "download", "-q", "--no-deps", "--no-binary", name, "-d", str(folder), release]
        subprocess.run([str(environment.python), *command], capture_output=True, text=True)
        for archive in folder.glob("*.tar.gz"):
            with tarfile.open(archive) as packed:
                packed.extractall(folder, filter="data")
        (folder / "pytest.ini").write_text("[pytest]\n")  # else that of a project above counts where a package has none
    return next((path for path in folder.iterdir() if path.is_dir()), f"{release} has no source archive")


def run(environment: Environment, library: str, suite: dict[str, Any], source: Path, **notified: Any) -> set[str]:
    """Run tests once, and return those that pass; `told` is for the plugin, OUTCOMES a name beside the source."""
    outcomes = source.parent / notified["OUTCOMES"]
    outcomes.unlink(missing_ok=True)
    command, variables = environment.command(library, [*PYTEST, *suite.get("options", []), *suite["tests"]])
    times = 1 if "ONLY" not in notified else LONGER
    limit = suite.get("seconds", A_SUITE) * times
    variables |= {"SECONDS": str(A_TEST * times), **{key: str(value) for key, value in notified.items()}}
    variables |= {"OUTCOMES": str(outcomes), **suite.get("variables", {})}
    variables["PYTHONPATH"] += f":{HERE}:{source}:{ROOT}"
    variables["PATH"] = f"{environment.folder / 'bin'}:{variables['PATH']}"
    with outcomes.with_suffix(".log").open("w") as log:
        try:
            subprocess.run(command, env=variables, cwd=source, stdout=log, stderr=log, timeout=limit)
        except subprocess.TimeoutExpired:
            log.write(f"\nended after {limit} s\n")
    return passed(outcomes)


def passed(outcomes: Path) -> set[str]:
    """The tests that have passed."""
    lines = outcomes.read_text(encoding="utf-8").splitlines() if outcomes.exists() else []
    return {line.split("\t")[0] for line in lines if line.split("\t")[1] == "passed"}


def judged(environment: Environment, suite: dict[str, Any], source: Path, keep: bool) -> Suite:
    """Run with PyTorch, with specgrad what passes there, and what then fails with PyTorch and specgrad's draws."""
    known, only, failed = (source.parent / name for name in ("torch.json", "only", "failed"))
    begun = time.perf_counter()
    if not (keep and known.exists()):
        theirs = run(environment, "torch", suite, source, OUTCOMES="torch.tsv")
        known.write_text(json.dumps({"seconds": time.perf_counter() - begun, "passed": sorted(theirs)}))
    before = json.loads(known.read_text())
    theirs = set(before["passed"])
    only.write_text("\n".join(sorted(theirs)), encoding="utf-8")
    begun = time.perf_counter()
    missing = theirs - run(environment, "specgrad", suite, source, OUTCOMES="specgrad.tsv", ONLY=only)
    seconds = time.perf_counter() - begun
    by_draws: set[str] = set()
    failed.write_text("\n".join(sorted(missing)), encoding="utf-8")
    if missing:
        again = suite | {"options": [*suite.get("options", []), "-p", "same_draws"]}
        by_draws = missing - run(environment, "torch", again, source, OUTCOMES="draws.tsv", ONLY=failed)
    version = environment.version_of(suite["name"])
    counts = len(theirs), len(theirs - missing), len(by_draws)
    return Suite(suite["name"], version, suite["what"], *counts, seconds, before["seconds"])


def tried(environment: Environment, suite: dict[str, Any], options: argparse.Namespace) -> str:
    """Install a package, run its tests, and keep the result; returns a line that says it."""
    failed = "" if options.no_install else environment.install([suite["name"], "pytest", *suite.get("needs", [])])
    source = failed.splitlines()[-1] if failed else unpacked(environment, suite)
    if isinstance(source, str):
        return f"{suite['name']:28} cannot be run: {source}"
    found = judged(environment, suite, source, options.keep)
    result_of(environment, suite).write_text(json.dumps(asdict(found)))
    counts = f"{found.same:5} of {found.of_torch:5}, {found.by_draws:3} by the draws"
    return f"{found.name:28} {counts} {found.seconds:6.0f} s {found.torch_seconds:6.0f} s"


def result_of(environment: Environment, suite: dict[str, Any]) -> Path:
    """The file with what was found last of a package."""
    return environment.folder / "suites" / f"{suite['name']}.json"


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "ported")
    parser.add_argument("--no-install", action="store_true", help="what is to be run is there already")
    parser.add_argument("--keep", action="store_true", help="keep what PyTorch has passed in an earlier run")
    options = parser.parse_args()
    suites = yaml.safe_load((HERE / "suites.yaml").read_text())
    options.folder.parent.mkdir(parents=True, exist_ok=True)
    environment = Environment(options.folder.absolute(), torch_beside())
    if not environment.has_torch:
        parser.error("PyTorch says which tests pass: TORCH_PYTHON names an interpreter that has it")
    if not options.no_install:
        environment.make()
    for suite in suites:
        if not options.names or suite["name"] in options.names:
            print(tried(environment, suite, options), flush=True)
    found = [path for suite in suites for path in [result_of(environment, suite)] if path.exists()]
    write_suites([Suite(**json.loads(path.read_text())) for path in found], A_SUITE, ROOT / "docs" / "ported.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
