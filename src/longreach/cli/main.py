"""The `longreach` command: puts the commands together and turns errors into one line and an exit code."""

from __future__ import annotations

import os
import re
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any, cast

import typer

from longreach import __version__
from longreach.cli.commands import Group, finish_group, show_help
from longreach.cli.output import complain, documents, exit_code, note, set_up_streams, silence_output
from longreach.errors import Argument, Field, InputError, ReadingWarning, near_names

EXIT_BAD_INPUT = 2
EXIT_INTERNAL = 70  # EX_SOFTWARE of sysexits.h; 1 would mean "no"
EXIT_INTERRUPTED = 130
DEBUG = "LONGREACH_DEBUG"
"""With this variable set, an internal error shows where it happened."""

# typer's own base classes of usage errors; older releases take them from the package click.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]
_CommandError: type[Exception] = typer.BadParameter.__mro__[2]


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"longreach {__version__}")
        raise typer.Exit()


def _top(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    show_help(context)


def command_line() -> Any:
    """The whole command, as typer runs it."""
    app = typer.Typer(
        name="longreach",
        cls=Group,
        rich_markup_mode=None,
        help="Will a transformer trained on short sequences work on long ones?\n\n"
        'Example: longreach ask "regex:(aa)*" --minutes 0',
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(invoke_without_command=True)(_top)
    return finish_group(app)


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def run(arguments: Sequence[str]) -> int:
    """Runs the command line; the exit code."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # looking for them is slow
    set_up_streams()
    before = sys.stdout
    try:
        with _reading_warnings() as found:
            code = _run(arguments)
    finally:
        sys.stdout = before  # --json takes it for documents alone
    for message in found:  # behind an error, whose line is the first
        note(f"warning: {message}")
    return code


def _run(arguments: Sequence[str]) -> int:
    try:
        result = command_line().main(args=list(arguments), prog_name="longreach", standalone_mode=False)
        with exit_code(0, when=False):
            documents().flush()
        if result == EXIT_INTERRUPTED:
            complain("interrupted")
        return result if isinstance(result, int) else 0
    except InputError as error:
        complain(input_message(error), error.details())
        return EXIT_BAD_INPUT
    except _UsageError as error:
        complain(_usage_message(error))
        return EXIT_BAD_INPUT
    except _CommandError as error:
        complain(str(error))
        return EXIT_BAD_INPUT
    except (KeyboardInterrupt, typer.Abort):
        complain("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        silence_output()  # the reader has gone, as with `| head`: nothing is left to say
        return 0
    except SystemExit as error:
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        silence_output()  # typer would exit with 1, which means "no"
        return 0
    except MemoryError as error:
        return _internal_error("memory is exhausted; ask for something smaller", error)
    except OSError as error:
        if error.filename is not None:
            complain(f"{error.filename}: cannot be used: {error.strerror or error}")
            return EXIT_BAD_INPUT
        silence_output()
        complain(f"standard output: cannot be written: {error.strerror or error}")
        return EXIT_BAD_INPUT
    except Exception as error:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        return _internal_error(f"{what}; please report it with the command", error)


@contextmanager
def _reading_warnings() -> Iterator[list[str]]:
    """Collects what the reader of programs warns of, each once."""
    found: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", ReadingWarning)
        others: Any = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, ReadingWarning):
                others(message, category, *where, **more)
            elif str(message) not in found:
                found.append(str(message))

        warnings.showwarning = cast(Any, show)
        yield found


def _internal_error(message: str, error: BaseException) -> int:
    """One line, and with LONGREACH_DEBUG where it happened; standard output has what was printed before."""
    complain(f"internal error: {message}" + ("" if os.environ.get(DEBUG) else f" ({DEBUG}=1 shows more)"))
    if os.environ.get(DEBUG):
        note("".join(traceback.format_exception(error)).rstrip())
    return EXIT_INTERNAL


def input_message(error: InputError) -> str:
    """One line in the words of the command line: settings are options, arguments stand in capitals."""
    if isinstance(error.place, Field):
        from longreach.config.run import option_name

        return f"{option_name(error.place.name)}: {error.reason}"
    if isinstance(error.place, Argument):
        return f"{error.place.name.upper()}: {error.reason}"
    return error.message


_OPTION_MESSAGES = {"requires an argument": "needs a value", "does not take a value": "takes no value"}
"""What typer says of an option that is there, and what is said instead, behind its name."""


def _usage_message(error: Exception) -> str:
    """One line that begins with the option or argument that is wrong."""
    text = " ".join(str(getattr(error, "message", "") or "").split())
    parameter = getattr(error, "param", None)
    if parameter is not None:
        options = [option for option in parameter.opts if option.startswith("--")]
        name = options[0] if options else parameter.metavar or str(parameter.name).upper()
        text = (_refusal(error) or text).removesuffix(".")
        return f"{name}: {text}" if text else f"{name}: missing"
    command = getattr(getattr(error, "ctx", None), "command", None)
    option = getattr(error, "option_name", None)
    for said, meant in _OPTION_MESSAGES.items():
        if option is not None and said in text:
            return f"{option}: {meant}"
    if option is not None and command is not None:
        known = [name for other in command.params for name in (*other.opts, *other.secondary_opts)]
        return f"{option}: no such option{near_names(option, known)}"
    if text.startswith("Got unexpected extra argument") and command is not None:
        return _too_many(command, text.partition("(")[2].partition("(")[2].removesuffix(")"))
    unknown = re.match("No such command '(.*?)'", text)
    if unknown is not None and command is not None:
        known = command.list_commands(None)
        near = near_names(unknown[1], [*known, *command.earlier])
        return unknown[0] + (near or f"; the commands are {', '.join(known)}")
    return text or str(error)


def _refusal(error: Exception) -> str | None:
    """What pydantic refuses, in words of ours; None if that is not what is wrong."""
    cause: Any = error.__cause__
    if not hasattr(cause, "errors"):
        return None
    from longreach.errors import in_words

    problem = cause.errors(include_url=False)[0]
    text = str(problem["input"])
    # Options are texts: what is wrong with the number that they stand for is said of the number.
    number = re.fullmatch(r"-?\d+(\.\d+)?", text)
    value = (float(text) if "." in text else int(text)) if number else problem["input"]
    return in_words(problem | {"input": value})


def _too_many(command: Any, rest: str) -> str:
    """What is said to arguments that a command has no place for."""
    places = [other for other in command.params if other.param_type_name == "argument"]
    if not places:
        return f"{command.name}: takes no argument, but got: {rest}"
    return f"{places[-1].metavar or str(places[-1].name).upper()}: expected one; also got: {rest}"


if __name__ == "__main__":
    main()
