"""Sorting, choosing, searching and counting."""
