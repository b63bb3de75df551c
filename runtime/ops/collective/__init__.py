"""Collectives: what ranks of a process group compute together."""
