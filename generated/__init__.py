"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "5f8adc2ee1aa"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
