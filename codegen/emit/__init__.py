"""Entries as text: the code of a generated package, written where it belongs."""
