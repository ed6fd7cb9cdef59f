"""longreach: will a transformer trained on short sequences work on long ones?

The public interface. Each name loads on first use, so `import longreach` is fast:

- `forecast(task)`: forecast from theory, with programs and certificates
- `ask(task)`: forecast, train briefly, and say what would help
- `advise(task)`: say what would help a task that fails, and try it
- `threshold(task, encoding)`: find the training length from which runs work
- `profile(model)`: measure what a model extends, need by need, on a fixed suite of tasks
- `train(task, encoding)`: train a few runs on short inputs and test them on longer ones
- `evaluate(model, task, lengths=…)`: measure any model by length, wherever it was trained
- `results(directory)`: the runs in a directory
- `parse(text)`, `compile(program)`: a C-RASP program, and the transformer that computes it
- `load_task(name)`, `Task`: a task by name, and the class of all tasks
- `InputError`: raised for bad input, with its place

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
