"""longreach: will a transformer trained on short sequences work on long ones?

The front door. What it offers is loaded when it is first used, so that `import longreach` costs nothing:

- `forecast(task)`: what theory says, with programs and certificates
- `ask(task)`: forecast, a short measurement, and what would help
- `advise(task)`: what would help a task that fails, and whether it does when tried
- `threshold(task, encoding)`: from which training length on runs work, by a search that trains some
- `profile(model)`: what a model extends, need by need, on a fixed suite of tasks
- `train(task, encoding)`: train a few runs on short inputs and measure them on long ones
- `evaluate(model, task, lengths=…)`: the accuracy of any model by length, wherever it was trained
- `results(directory)`: what has been run
- `parse(text)`, `compile(program)`: a C-RASP program, and the transformer that computes it
- `load_task(name)`, `Task`: tasks, by name or of one's own
- `InputError`: what all of them raise where something given is wrong, with its place

>>> import longreach
>>> longreach.forecast("aa").ape.answer.value
'yes'
"""

__version__ = "1.0.0"

__all__ = [
    "InputError",
    "Task",
    "advise",
    "ask",
    "compile",
    "evaluate",
    "forecast",
    "load_task",
    "parse",
    "profile",
    "results",
    "threshold",
    "train",
]

TYPE_CHECKING = False  # as in typing, which would have to be loaded

if TYPE_CHECKING:
    from longreach.answers.advice import advise as advise
    from longreach.answers.ask import ask as ask
    from longreach.answers.evaluated import evaluate as evaluate
    from longreach.answers.forecast import forecast as forecast
    from longreach.answers.profile_runs import profile as profile
    from longreach.answers.threshold import threshold as threshold
    from longreach.answers.trained import train as train
    from longreach.errors import InputError as InputError
    from longreach.runs.collected import results as results
    from longreach.tasks.catalog import load_task as load_task
    from longreach.tasks.task import Task as Task
    from longreach.theory.crasp.program import parse as parse
    from longreach.theory.limit.compiler import compile_source as compile
else:
    _PLACES = {
        "InputError": "errors:InputError",
        "Task": "tasks.task:Task",
        "advise": "answers.advice:advise",
        "ask": "answers.ask:ask",
        "compile": "theory.limit.compiler:compile_source",
        "evaluate": "answers.evaluated:evaluate",
        "forecast": "answers.forecast:forecast",
        "load_task": "tasks.catalog:load_task",
        "parse": "theory.crasp.program:parse",
        "profile": "answers.profile_runs:profile",
        "results": "runs.collected:results",
        "threshold": "answers.threshold:threshold",
        "train": "answers.trained:train",
    }

    def __getattr__(name):
        place = _PLACES.get(name)
        if place is None:
            raise AttributeError(f"module 'longreach' has no attribute {name!r}")
        from importlib import import_module

        path, _, attribute = place.partition(":")
        found = getattr(import_module(f"longreach.{path}"), attribute)
        globals()[name] = found
        return found

    def __dir__():
        return sorted({*globals(), *__all__})
