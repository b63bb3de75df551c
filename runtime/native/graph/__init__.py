"""The graph in machine code: nodes are made, a gradient goes from node to node, leaves are given theirs."""
