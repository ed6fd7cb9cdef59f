"""`python -m longreach` is the `longreach` command."""

from longreach.cli.main import main

if __name__ == "__main__":
    main()
