"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "8e9b8fa1a8d3"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
