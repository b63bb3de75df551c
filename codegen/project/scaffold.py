"""`python -m codegen new NAME [FOLDER]`: a package of a user's ops, ready to test, build and publish."""

import importlib.util
import sys
from pathlib import Path

import jinja2

from ..emit.files import write_new
from ..library.digests import specgrad_version
from ..library.files import Refused, check_importable, check_root, kind

TEMPLATES = Path(__file__).parent.parent / "templates" / "new"


def new_package(name: str, folder: Path) -> Path:
    check_importable(Path(name))
    if name in sys.stdlib_module_names or name == "specgrad" or importlib.util.find_spec(name) is not None:
        raise Refused(f"{name}: expected a name that no other package has, such as my_ops")
    check_root(folder)
    inside = f"src/{name}"
    locations = {
        "pyproject.toml.j2": "pyproject.toml",
        "README.md.j2": "README.md",
        "package_init.py.j2": f"{inside}/__init__.py",
        "spec.yaml.j2": f"{inside}/{name}.yaml",
        "kernels.py.j2": f"{inside}/kernels.py",
        "test_ops.py.j2": "tests/test_ops.py",
    }
    loader = jinja2.FileSystemLoader(TEMPLATES)
    environment = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, keep_trailing_newline=True)
    context = {"name": name, "version": specgrad_version()}
    sources = {path: environment.get_template(template).render(context) for template, path in locations.items()}
    files = sources | {f"{inside}/py.typed": ""}
    match = next((path for path in files if kind(folder / path)), None)
    if match is not None:
        raise Refused(f"{folder / match}: there is one already, and nothing was written: choose another folder")
    write_new(folder, files)
    for path in files:
        print(f"wrote {folder / path}")
    return folder / "src" / name / f"{name}.yaml"
