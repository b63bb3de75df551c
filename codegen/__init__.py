"""The generator: reads a spec, checks it, and renders the package of its ops. Imports nothing of specgrad."""
