"""Docstrings of variants: what they leave out is taken over from the docstring of their model."""

import inspect

import specgrad as sg
from specgrad.nn.docstrings import completed_from


def scale1d(input: int, factor: int = 1, size: int = 0) -> None:
    """Scale a sequence.

    Formula: y = factor x

    Args:
        input: sequences.
        factor: the factor.
        size: length of the window.

    Shape:
        Input (N, C, L); the output (N, C, L').

    Example:
        >>> 1
        1
    """


def test_missing_sections_and_arguments_are_the_models() -> None:
    """In the order of the signature, in words of its number of dimensions, without arguments of the model alone."""

    @completed_from(scale1d)
    def scale2d(input: int, other: int, size: int = 0) -> None:
        """Scale an image.

        Args:
            other: a number.

        Example:
            >>> 2
            2
        """

    assert inspect.getdoc(scale2d) == inspect.cleandoc("""Scale an image.

        Formula: y = factor x

        Args:
            input: images.
            other: a number.
            size: height and width, or one number for both, of the window.

        Shape:
            Input (N, C, H, W); the output (N, C, H', W').

        Example:
            >>> 2
            2
        """)


def test_a_docstring_of_its_own_stays() -> None:
    """Sections that the variant has win over those of the model, and arguments one by one."""

    @completed_from(scale1d)
    def other(factor: int) -> None:
        """Another one.

        Formula: y = x

        Args:
            factor: without effect.
        """

    doc = inspect.getdoc(other) or ""
    assert "Formula: y = x\n" in doc and "factor: without effect." in doc and "input:" not in doc
    assert "(N, C, L)" in doc  # its name tells no number of dimensions


def test_layers_tell_the_shapes_of_their_dimensions() -> None:
    """`Conv3d` has the arguments of `Conv1d`, and shapes of volumes."""
    doc = inspect.getdoc(sg.nn.Conv3d) or ""
    assert "(N, in_channels, D, H, W)" in doc and "in_channels: channels of the input." in doc and "1d" not in doc
