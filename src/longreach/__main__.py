"""`python -m longreach` is the `longreach` command."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and exits; Ctrl-C is quiet while the command is still being loaded, too."""
    try:
        from longreach.cli.main import main as command
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except (ImportError, MemoryError) as error:
        print(f"internal error: longreach cannot be loaded: {type(error).__name__}: {error}", file=sys.stderr)
        sys.exit(70)
    command()


if __name__ == "__main__":
    main()
