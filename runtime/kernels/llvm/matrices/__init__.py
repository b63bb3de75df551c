"""Intrinsics for matrices: tiles of products and of differences, updates of low rank, many small ones at once."""
