"""Reductions and normalisations that leave elements out, as a mask says; offered as `specgrad.masked`."""
