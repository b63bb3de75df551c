"""Fourier transforms, of whole signals and of frames."""
