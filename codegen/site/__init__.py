"""The documentation site: the Markdown of the tree, the spec's sections, and a page for each module and class."""
