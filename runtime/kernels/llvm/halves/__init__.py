"""Intrinsics for 16-bit floats: one, rows, blocks, tables of results, and products of pairs."""
