"""Intrinsics for numba: vectors, tiles, memory by address."""
