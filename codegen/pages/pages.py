"""The documentation of a spec's ops: docs/ops.md and a page per family in the tree, one REFERENCE.md outside it."""

from __future__ import annotations

import re
from pathlib import Path

from ..emit.render import Renderer
from ..emit.write import Files
from ..library.families import Family, families
from .census import spec_stats
from .page_code import OpSection, sections
from .pictured import picture_files


def pages(renderer: Renderer, path: Path) -> Files:
    """The pages on the spec in the tree, by their names below docs/."""
    result = chapters(renderer, path)
    files = {f"ops/{family.slug}.md": renderer.render("family.md.j2", family=family, ops=ops) for family, ops in result}
    files["ops.md"] = renderer.render(
        "ops_index.md.j2", families=result, spec_stats=spec_stats(path, renderer.spec.entries)
    )
    return {name: tidy(text) for name, text in files.items()}


def reference(renderer: Renderer, path: Path) -> Files:
    """The one page on a spec outside the tree, below its package."""
    ops = [section for _, result in chapters(renderer, path) for section in result]
    return {"REFERENCE.md": tidy(renderer.render("reference.md.j2", ops=ops))}


def chapters(renderer: Renderer, path: Path) -> list[tuple[Family, list[OpSection]]]:
    pictures = picture_files(renderer.spec.by_name())
    return [(each, sections(renderer, each, pictures)) for each in families(path, renderer.spec.entries)]


def tidy(text: str) -> str:
    """The text with one blank line where a template leaves several, and one line end at its end."""
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"
