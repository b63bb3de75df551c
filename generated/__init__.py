"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "fa805272b50f"  # of generated code: packages that were generated for another one have to be generated again
_spec_file = "../derivatives.yaml"
