"""longreach: will a transformer trained on short sequences work on long ones?

The front door. What it offers is loaded when it is first used, so that `import longreach` costs nothing:

- `forecast(task)`: what theory says, with programs and certificates
- `ask(task)`: forecast, a short measurement, and what would help
- `advise(task)`: what would help a task that fails, and whether it does when tried
- `threshold(task, encoding)`: from which training length on runs work, by a search that trains some
- `train(task, encoding)`: train a few runs on short inputs and measure them on long ones
- `results(directory)`: what has been run
- `parse(text)`, `compile(program)`: a C-RASP program, and the transformer that computes it
- `load_task(name)`, `Task`: tasks, by name or of one's own
- `InputError`: what all of them raise where something given is wrong, with its place

>>> import longreach
>>> longreach.forecast("aa").ape.answer.value
'yes'
"""

__version__ = "0.1.0"

__all__ = [
    "InputError",
    "Task",
    "advise",
    "ask",
    "compile",
    "forecast",
    "load_task",
    "parse",
    "results",
    "threshold",
    "train",
]

TYPE_CHECKING = False  # as in typing, which would have to be loaded

if TYPE_CHECKING:
    from longreach.advice import advise as advise
    from longreach.answer import ask as ask
    from longreach.answer.threshold_answer import threshold as threshold
    from longreach.answer.trained_runs import train as train
    from longreach.crasp.program import parse as parse
    from longreach.errors import InputError as InputError
    from longreach.forecast import forecast as forecast
    from longreach.limit.compile.source_to_transformer import compile_source as compile
    from longreach.results import results as results
    from longreach.tasks.catalog import load_task as load_task
    from longreach.tasks.task import Task as Task
else:
    # `forecast` and `results` are packages as well: once something has imported them, their modules stand
    # here whatever this file says. So the modules themselves can be called.
    _PLACES = {
        "InputError": "errors:InputError",
        "Task": "tasks.task:Task",
        "advise": "advice:advise",
        "ask": "answer:ask",
        "compile": "limit.compile.source_to_transformer:compile_source",
        "forecast": "forecast",
        "load_task": "tasks.catalog:load_task",
        "parse": "crasp.program:parse",
        "results": "results",
        "threshold": "answer.threshold_answer:threshold",
        "train": "answer.trained_runs:train",
    }

    def __getattr__(name):
        place = _PLACES.get(name)
        if place is None:
            raise AttributeError(f"module 'longreach' has no attribute {name!r}")
        from importlib import import_module

        path, _, attribute = place.partition(":")
        module = import_module(f"longreach.{path}")
        found = getattr(module, attribute) if attribute else module
        globals()[name] = found
        return found

    def __dir__():
        return sorted({*globals(), *__all__})
