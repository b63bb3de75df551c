"""The backward pass: from node to node, and where gradients end."""
