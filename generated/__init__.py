"""Generated from derivatives.yaml by `python -m codegen`: do not edit."""

FORMAT = "16c13cfd4bc7"  # of generated code: packages that were generated for another one have to be generated again
