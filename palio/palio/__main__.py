"""`python -m palio run ...`: the command `palio`, by the Python that has it."""

from palio_server.cli import main

if __name__ == "__main__":
    main()
