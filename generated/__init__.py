"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "ae0d3c09ffd1"  # of generated code: packages that were generated for another one have to be generated again
