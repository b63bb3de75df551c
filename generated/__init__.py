"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "5a536ffe11ae"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
