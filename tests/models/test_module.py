"""Any module behind the seam: what is asked of it at load, and that it trains as the decoder does."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from longreach.answers.forecast import forecast
from longreach.config.architectures import ARCHITECTURES, Options, architecture_row
from longreach.config.model import CellLabel, ModuleConfig
from longreach.config.run import RunConfig
from longreach.errors import InputError
from longreach.models.module import factory, name_of_factory
from longreach.models.network import Inputs, network
from longreach.runs.resolve import resolve
from longreach.training.batches import chunks
from longreach.training.checkpoint import load_model, save_model
from longreach.training.generate import generate
from longreach.training.loop import train, train_runs
from longreach.training.run import Trained
from longreach.training.setup import network_of, task_of
from longreach.training.steps import Gradient

VOCABULARY, POSITIONS = 6, 40


class Mixer(nn.Module):
    """A recurrence with whatever a test wants to be wrong."""

    def __init__(self, vocabulary: int, *, width: int = 8, outputs: int | None = None, **wrong: Any) -> None:
        super().__init__()
        self.wrong = wrong
        self.embedding = nn.Embedding(vocabulary, width)
        self.cell = nn.GRU(width, width, batch_first=True, bidirectional=bool(wrong.get("bidirectional")))
        self.norm = nn.BatchNorm1d(width) if wrong.get("batch_norm") else None
        self.dropout = nn.Dropout(wrong.get("dropout", 0.0))
        if wrong.get("lazy"):
            self.lazy = nn.LazyLinear(2)
        if wrong.get("turned"):
            self.turn = nn.Parameter(torch.ones(2, dtype=torch.complex64))
        self.out = nn.Linear(width * (1 + bool(wrong.get("bidirectional"))), outputs or vocabulary)
        if "states" in wrong:
            self.state_size = lambda length: wrong["states"]
        if wrong.get("zero"):
            nn.init.zeros_(self.out.weight)

    def forward(self, ids: Tensor) -> Any:
        assert ids.shape[1] <= self.wrong.get("longest", ids.shape[1]), "too long"
        states, _ = self.cell(self.embedding(ids))
        if self.norm is not None:
            states = self.norm(states.transpose(1, 2)).transpose(1, 2)
        logits = self.out(self.dropout(states))
        if self.wrong.get("nan"):
            logits = logits / 0.0 * 0.0
        return {"logits": logits} if self.wrong.get("dictionary") else logits


def make(*, vocabulary: int, positions: int, **options: Any) -> nn.Module:
    return Mixer(vocabulary, **options)


class Placed(nn.Module):
    """Sees positions, lengths, and answers with an object."""

    stackable = True

    def __init__(self, vocabulary: int, positions: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 8)
        self.places = nn.Embedding(positions, 8)
        self.out = nn.Linear(8, vocabulary)

    def forward(self, ids: Tensor, *, position_ids: Tensor, lengths: Tensor) -> Any:
        assert lengths.shape == ids.shape[:1]
        assert position_ids.shape == ids.shape
        logits = self.out(self.embedding(ids) + self.places(position_ids))

        class Answer:
            pass

        answer = Answer()
        answer.logits = logits  # type: ignore[attr-defined]
        return answer

    def state_size(self, length: int) -> int:
        return 3 * length


def make_placed(*, vocabulary: int, positions: int) -> nn.Module:
    return Placed(vocabulary, positions)


def make_unseeded(*, vocabulary: int, positions: int) -> nn.Module:
    module = Mixer(vocabulary)
    generator = torch.Generator()
    generator.seed()
    nn.init.normal_(module.out.weight, generator=generator)
    return module


def make_number(*, vocabulary: int, positions: int) -> int:
    return 3


NAME = f"{__name__}:make"
MADE = Mixer(6)


def shape(name: str = NAME, **options: Any) -> ModuleConfig:
    return ModuleConfig(model=name, vocabulary=VOCABULARY, positions=POSITIONS, options=options)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (shape(bidirectional=True), "is not causal: changing token"),
        (shape(bidirectional=True, zero=True), "is not causal: changing token"),
        (shape(states=-1), "its state_size is -1, not a number of at least 0"),
        (shape(states="many"), "fails: ValueError: invalid literal for int()"),
        (shape(batch_norm=True), "the buffer norm.running_mean changes in a forward pass"),
        (shape(outputs=5), "returns logits of shape (3, 9, 5), expected (3, 9, 6)"),
        (shape(dictionary=True), "returns dict, not a tensor or an object with .logits"),
        (shape(nan=True), "returns logits that are not finite"),
        (shape(width=-1), "fails: RuntimeError"),
        (shape(f"{__name__}:make_unseeded"), "the parameter out.weight differs between two calls"),
        (shape(f"{__name__}:make_number"), "returns int, not a torch.nn.Module"),
        (shape(f"{__name__}:nothing"), "has no attribute 'nothing'"),
        (shape(f"{__name__}:NAME"), "is str, not a function that makes a model"),
        (shape("no_such_module_there:make"), "no module named 'no_such_module_there'"),
        (shape("mine.py:make"), "write a file without .py: mine:…"),
        (shape(f"{__name__}:MADE"), "expected a function that makes the model, not a model"),
        (shape(lazy=True), "the parameter lazy.weight is lazy"),
        (shape(turned=True), "the parameter turn is complex"),
        (shape(longest=POSITIONS - 1), f"on {POSITIONS} tokens fails: AssertionError: too long"),
    ],
)
def test_what_training_cannot_rely_on_is_refused_in_one_line(asked: ModuleConfig, message: str) -> None:
    with pytest.raises(InputError) as caught:
        network(asked)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_module_is_a_function_of_its_parameters() -> None:
    made = network(shape(width=4))
    parameters, tokens = made.initial(3), torch.tensor([[1, 2, 3, 5], [1, 4, 0, 0]])
    torch.manual_seed(3)
    module = Mixer(VOCABULARY, width=4).eval()
    assert all(torch.equal(value, parameters[name]) for name, value in module.named_parameters())
    expected = module(tokens)
    assert torch.allclose(made.outputs(parameters, Inputs(tokens)).tokens, expected, atol=1e-6)
    places = torch.tensor([[3], [1]])
    some = made.outputs(made.named(made.vector(parameters)), Inputs(tokens, None, places)).tokens
    assert torch.allclose(some[:, 0], expected[[0, 1], [3, 1]], atol=1e-6)


def test_the_module_gets_what_it_names_and_says_what_it_keeps() -> None:
    made = network(shape(f"{__name__}:make_placed"))
    assert made.stackable
    assert not made.ignores_offsets
    assert made.state_size is not None
    assert made.state_size(7) == 21
    tokens = torch.tensor([[1, 2, 3]])
    parameters = made.initial(0)
    first, shifted = (
        made.outputs(parameters, Inputs(tokens, ids)).tokens for ids in (None, torch.arange(4, 7))
    )
    assert not torch.allclose(first, shifted)


def test_reading_again_writes_what_a_plain_loop_writes() -> None:
    made = network(shape(width=4))
    parameters = made.initial(1)
    import numpy as np

    prompts, sizes = np.array([[1, 2, 3], [1, 4, 0]]), np.array([3, 2])
    found = generate(parameters, made, prompts, sizes=sizes, most=4, end=2)
    for row, size in zip(range(2), sizes, strict=True):
        words = prompts[row, :size].tolist()
        for place in range(int(found.counts[row])):
            logits = made.outputs(parameters, Inputs(torch.tensor([words]))).tokens
            words.append(int(logits[0, -1].argmax()))
            assert found.tokens[row, place] == words[-1]
        assert found.counts[row] == 4 or words[-1] == 2


def tiny(name: str = NAME, **given: Any) -> RunConfig:
    usual = {"train_lengths": (1, 5), "max_steps": 6, "test_size": 20, "batch": 8, "evaluate_every": 3}
    return resolve("parity", architecture=name, **usual | given)


@pytest.mark.parametrize("options", [{}, {"dropout": 0.5}])
def test_runs_side_by_side_are_those_that_train_alone(options: dict[str, Any]) -> None:
    configs = [tiny(seed=seed, model_options=options) for seed in range(2)]
    alone = [train(config) for config in configs]
    together = dict(train_runs(configs))
    for place, run in enumerate(alone):
        other = together[place]
        assert isinstance(other, Trained)
        assert all(torch.equal(value, other.parameters[name]) for name, value in run.parameters.items())
    assert not torch.equal(alone[0].parameters["out.bias"], alone[1].parameters["out.bias"])


def test_random_numbers_of_a_step_do_not_depend_on_where_a_run_was_resumed(tmp_path: Path) -> None:
    config = tiny(model_options={"dropout": 0.5})
    whole = train(config)

    class Killed(Exception):
        pass

    def kill(step: int, row: object) -> None:
        if step == 4:
            raise Killed

    with pytest.raises(Killed):
        train(config, tmp_path, report=kill, checkpoint_seconds=0.0)
    again = train(config, tmp_path)
    assert again.resumed > 0
    assert all(torch.equal(value, again.parameters[name]) for name, value in whole.parameters.items())


def test_a_file_never_names_code_that_is_run(tmp_path: Path) -> None:
    made = network(shape(width=4))
    save_model(tmp_path, made.initial(0), made.shape)
    with pytest.raises(InputError, match="no file says what is run"):
        load_model(tmp_path / "model.safetensors")


def test_names_of_factories() -> None:
    assert name_of_factory(make) == NAME
    assert factory(NAME) is make
    local = name_of_factory(lambda *, vocabulary, positions: Mixer(vocabulary))
    assert local.startswith("session:")
    assert architecture_row(local).is_of_session
    changed = name_of_factory(lambda *, vocabulary, positions: Mixer(vocabulary, width=3))
    assert changed.partition("@")[0] == local.partition("@")[0]
    assert changed != local
    with pytest.raises(InputError, match="another Python session"):
        factory("session:gone")
    with pytest.raises(InputError, match="a function that makes a model, not 3"):
        name_of_factory(3)
    with pytest.raises(InputError, match="a function that makes the model, not a model"):
        name_of_factory(Mixer(6))


class Gated(Mixer):
    theory = "ssm"


def make_gated(*, vocabulary: int, positions: int, theory: str = "ssm") -> nn.Module:
    module = Gated(vocabulary)
    module.theory = theory
    return module


def test_the_theory_that_a_module_states_is_part_of_the_run() -> None:
    config = tiny(f"{__name__}:make_gated")
    assert config.model_options == {"theory": "ssm"}
    for found in (forecast("parity").about(config.label), forecast("parity", model=make_gated).model):
        assert found is not None
        assert (found.name, found.options, found.answer) == (config.architecture, {"theory": "ssm"}, "no")
    assert "theory" not in tiny().model_options
    wrong = partial(make_gated, theory="ssn")
    with pytest.raises(InputError, match="its theory, 'ssn', is not an architecture; did you mean 'ssm'"):
        forecast("parity", model=wrong)


def test_own_models_keep_no_sizes_in_their_documents_and_have_a_label() -> None:
    config = tiny(model_options={"width": 4})
    document = config.document()
    assert document["architecture"] == NAME
    assert document["model_options"] == {"width": 4}
    assert not {"layers", "heads", "width"} & document.keys()
    assert RunConfig.read(document) == config
    assert config.label.title == f"{NAME}(width=4)"
    assert CellLabel.read(config.label.text) == config.label
    assert tiny().key != config.key != tiny(model_options={"width": 5}).key


@pytest.mark.parametrize("name", [name for name, row in ARCHITECTURES.items() if "positions" not in row.can])
def test_labels_of_all_architectures_are_read_back(name: str) -> None:
    for options in (Options(), Options(state_passing=0.5, gate="a+b")):
        label = CellLabel.of({"encoding": "nope", "architecture": name, "model_options": options})
        assert CellLabel.read(label.text) == label
        assert label.side is None


def test_modules_that_read_token_by_token_are_known() -> None:
    """Cutting a batch into chunks would multiply their calls."""
    known = {
        **{
            architecture: network(shape(architecture)).is_sequential for architecture in ("gru", "rnn", "ssm")
        },
        "own": network(shape()).is_sequential,
        "placed": network(shape(f"{__name__}:make_placed")).is_sequential,
    }
    assert known == {"gru": True, "rnn": True, "ssm": False, "own": True, "placed": False}


class Tied(nn.Module):
    """One matrix under two names, and a parameter that nothing reads."""

    def __init__(self, vocabulary: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, 4)
        self.out = nn.Linear(4, vocabulary)
        self.out.weight = self.embedding.weight
        self.unread = nn.Parameter(torch.ones(3))

    def forward(self, ids: Tensor) -> Tensor:
        logits: Tensor = self.out(self.embedding(ids))
        return logits


def make_tied(*, vocabulary: int, positions: int) -> nn.Module:
    return Tied(vocabulary)


def test_the_gradient_is_that_of_the_module_itself() -> None:
    config = resolve("parity", architecture=f"{__name__}:make_tied", train_lengths=(1, 6), test_size=1)
    made = network_of(config)
    batch = task_of(config).sample([3, 6, 1, 4], np.random.default_rng(0))
    loss, gradient = Gradient(made, config)(made.vector(made.initial(0)), chunks(batch, 2))
    torch.manual_seed(0)
    module = Tied(len(task_of(config).tokens))
    mask = torch.from_numpy(batch.mask)
    expected = nn.functional.cross_entropy(
        module(torch.from_numpy(batch.tokens))[mask], torch.from_numpy(batch.targets)[mask]
    )
    expected.backward()
    assert loss.item() == pytest.approx(expected.item(), abs=1e-6)
    found = made.named(gradient)
    assert set(found) == {name for name, _ in module.named_parameters()}
    for name, value in module.named_parameters():
        wanted = torch.zeros_like(value) if value.grad is None else value.grad
        assert torch.allclose(found[name], wanted, atol=1e-6), name


def test_a_finished_run_says_when_the_code_of_its_model_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from longreach.cli.main import run

    monkeypatch.chdir(tmp_path)
    name = "changing_model"
    file = tmp_path / f"{name}.py"
    file.write_text(
        f"from {__name__} import make\n\n\ndef build(**given):\n    return make(**given)\n", "utf-8"
    )
    call = ["train", "parity", "--model", f"{name}:build", "--train-lengths", "1:4", "--max-steps", "2"]
    call += ["--test-size", "5", "--runs", "runs", "--json"]
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    assert run(call) == 0
    assert "has changed" not in capsys.readouterr().err
    file.write_text(file.read_text(encoding="utf-8") + "\n# another line\n", encoding="utf-8")
    assert run(call) == 0
    assert f"{name}:build has changed since the run with seed 0 was trained" in capsys.readouterr().err
