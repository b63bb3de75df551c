"""What `import torch` finds in a process that was started by a program for which specgrad stands in for torch."""

import sys

import specgrad

specgrad.as_torch(children=True)
sys.modules["torch"] = specgrad  # the import that is underway gives what stands here when this file has run
