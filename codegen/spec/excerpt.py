"""A problem as a terminal shows it: its sentence, the line of the file, and a caret below the place."""

from pathlib import Path

from .model import Problem, legible
from .source import Unreadable, read_text

WIDTH = 110  # letters of a line that are shown
BEFORE = 70  # of these before the place, in a longer line


def with_excerpt(problem: Problem, folder: Path) -> str:
    """The sentence alone where the file cannot be read: it is that of an installed base, say."""
    where = problem.where
    try:
        lines = read_text(folder / where.file).split("\n")
        line = lines[where.line - 1].replace("\t", " ")
    except (OSError, Unreadable, IndexError):
        return str(problem)
    begin = max(0, where.col - 1 - BEFORE) if len(line) > WIDTH else len(line) - len(line.lstrip())
    shown = legible(line[begin : begin + WIDTH], WIDTH)
    caret = min(max(where.col - 1 - begin, 0), len(shown))
    return f"{problem}\n    {shown}\n    {' ' * caret}^" if shown.strip() else str(problem)
