"""Attention as functions."""
