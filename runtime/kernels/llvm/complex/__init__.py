"""Intrinsics for complex numbers: vectors of pairs, the butterflies of Fourier transforms, products of spectra."""
