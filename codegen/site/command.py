"""`python -m codegen site`: builds the documentation with MkDocs Material, as `mkdocs.yml` says."""

import argparse
import logging
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..library.bases import SPEC
from ..proof.derive import load_spec
from .api import api_pages
from .spec_pages import spec_pages
from .stage import closure, for_mkdocs, linked

TREE = SPEC.parent


def site_command(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen site", description=__doc__)
    parser.add_argument("--out", type=Path, default=TREE / "out" / "site", help="folder; html/index.html is the site")
    options = parser.parse_args(argv)
    from mkdocs.exceptions import Abort

    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(message)s")
    try:
        build(options.out)
    except Abort as error:
        print(error, file=sys.stderr)
        return 1
    print(options.out / "html" / "index.html")
    return 0


def build(out: Path) -> None:
    from mkdocs.commands.build import build as mkdocs_build
    from mkdocs.config import load_config

    pages, site = out / "pages", out / "html"
    pages.mkdir(parents=True, exist_ok=True)
    config = load_config(str(TREE / "mkdocs.yml"), docs_dir=str(pages), site_dir=str(site))
    nav: list[dict[str, str]] = list(config.nav or ())
    sources, files = stage([next(iter(item.values())) for item in nav])
    shutil.rmtree(pages)
    for name, text in sources.items():
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        (pages / name).write_text(text, encoding="utf-8")
    for name in files:
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE / name, pages / name)
    config.nav = navigation(nav, config.extra["chapters"], sources)
    config.plugins.on_startup(command="build", dirty=False)
    mkdocs_build(config)


def stage(seeds: Sequence[str]) -> tuple[dict[str, str], set[str]]:
    entries = load_spec(SPEC, SPEC.name)[0].entries
    sections, page_of = spec_pages(SPEC, entries)
    pages = closure(seeds, TREE)
    sources = {name: for_mkdocs(text, name, page_of) for name, text in pages.sources.items()} | sections
    return sources | api_pages(sources), pages.files - {SPEC.name}


def navigation(nav: Sequence[Mapping[str, str]], chapters: Mapping[str, str], sources: Mapping[str, str]) -> list[Any]:
    """The navigation; a page with chapters becomes a list of itself and the pages of its folder that it links to."""
    result: list[Any] = []
    for item in nav:
        ((title, page),) = item.items()
        targets = linked(sources[page], page, TREE) if page in chapters else ()
        below = [name for name in dict.fromkeys(targets) if name in sources and name.startswith(chapters[page])]
        result.append({title: [page, *below] if below else page})
    return result
