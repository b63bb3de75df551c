"""Distances between vectors."""
