"""Modules as graphs of the calls that they make, with parameters and inputs named: what `specgrad.export` offers."""
