"""What a machine with a GPU is asked, in one command: `make gpu` packs, `./gpu.sh` there runs."""
