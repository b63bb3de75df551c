"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "8f33148425d1"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
