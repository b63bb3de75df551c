"""A description of the machine under PyTorch's name; `python -m specgrad.utils.collect_env` prints it."""

from ..runtime.extensions.torch_compat.config import SystemEnv, get_env_info, get_pretty_env_info, main
from ..runtime.methods.argument_guard import guard_module

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main"]

guard_module(__name__)

if __name__ == "__main__":
    main()
