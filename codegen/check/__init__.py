"""Checks of entries that need no arithmetic."""
