"""The command line: options, call, print. `commands` lists the commands; each is loaded on first use."""
