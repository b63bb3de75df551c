"""Entries for people: the op reference, pictures, figures, `explain`."""
