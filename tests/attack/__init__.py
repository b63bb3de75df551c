"""Attacks: many hostile calls, programs, files, specs and moments, drawn from a seed; see docs/trust.md.

`make test` runs a sample of each, `make attack` all of it, with a seed of its own. An attack says what it has done in
figures, which are printed at the end.
"""
