"""Recurrent architectures against literal recurrences, and by hand-set parameters what each class can do."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch.autograd import gradcheck, gradgradcheck
from torch.func import functional_call, grad, vmap
from torch.nn.functional import normalize

from longreach.errors import InputError
from longreach.models.blocks import passed_on
from longreach.models.deltanet import DeltaRule, delta_rule, deltanet
from longreach.models.hybrid import hybrid
from longreach.models.recurrent import gru, lstm, rnn
from longreach.models.ssm import RECURRENCES, scan, ssm, ssm_complex, ssm_signed
from tests.helpers.literal_recurrences import Literal, read

MAKE: dict[str, Callable[..., Any]] = {
    "lstm": lstm,
    "gru": gru,
    "rnn": rnn,
    "ssm": ssm,
    "ssm-signed": ssm_signed,
    "ssm-complex": ssm_complex,
    "deltanet": deltanet,
    "hybrid": hybrid,
}
WINDOW = {"heads": 2, "window": 3, "rope": True}
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in list(MAKE)[:6]} | {
    "deltanet": ("deltanet", {"heads": 2}),
    "deltanet, signed": ("deltanet", {"heads": 1, "signed": True}),
    "deltanet, 3 signed reflections": ("deltanet", {"heads": 2, "signed": True, "reflections": 3}),
    "hybrid": ("hybrid", {**WINDOW, "recurrence": "ssm"}),
    "hybrid, signed": ("hybrid", {**WINDOW, "window": 1, "rope": False, "recurrence": "ssm-signed"}),
    "hybrid, complex": ("hybrid", {**WINDOW, "window": 9, "rope": False, "recurrence": "ssm-complex"}),
    "hybrid, deltanet": ("hybrid", {**WINDOW, "window": 100, "recurrence": "deltanet"}),
}
STACKED = [name for name, (architecture, _) in VARIANTS.items() if architecture not in ("lstm", "gru", "rnn")]
VOCABULARY = 5


def made(variant: str, seed: int = 0, *, layers: int = 2, width: int = 8, **more: Any) -> Any:
    """In float64, with parameters that are all different, biases and norms included."""
    name, options = VARIANTS[variant]
    torch.manual_seed(seed)
    module = MAKE[name](
        vocabulary=VOCABULARY, positions=9, layers=layers, width=width, **options, **more
    ).double()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return module.eval()


def literal(variant: str, module: Any, *, layers: int = 2) -> Literal:
    name, options = VARIANTS[variant]
    parameters = {key: value.detach().numpy() for key, value in module.named_parameters()}
    return Literal(name, parameters, layers=layers, **options)


def draw(rows: int, time: int, seed: int = 0) -> Tensor:
    return torch.randint(VOCABULARY, (rows, time), generator=torch.Generator().manual_seed(seed))


@pytest.mark.parametrize("variant", VARIANTS)
@settings(max_examples=8, deadline=None)
@given(st.integers(1, 3), st.integers(1, 75), st.integers(1, 3), st.sampled_from([4, 8]), st.integers(0, 99))
@example(rows=2, time=70, layers=2, width=12, seed=0)
def test_it_is_its_literal_recurrence(
    variant: str, rows: int, time: int, layers: int, width: int, seed: int
) -> None:
    module, ids = made(variant, seed, layers=layers, width=width), draw(rows, time, seed)
    with torch.no_grad():
        logits = module(ids)
    assert logits.shape == (rows, time, VOCABULARY)
    for row, tokens in enumerate(ids.tolist()):
        reader = literal(variant, module, layers=layers)
        np.testing.assert_allclose(logits[row].numpy(), read(reader, tokens), rtol=1e-8, atol=1e-8)
        assert module.state_size(time) == reader.floats()


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_sees_no_later_token_and_padding_changes_nothing(variant: str) -> None:
    module, ids = made(variant), draw(3, 70)
    with torch.no_grad():
        whole = module(ids)
        for time in (1, 2, 3, 31, 32, 33, 64, 69):
            torch.testing.assert_close(module(ids[:, :time]), whole[:, :time])
            changed = ids.clone()
            changed[:, time] = (changed[:, time] + 1) % VOCABULARY
            moved = (module(changed) - whole).abs().amax((0, 2))
            assert float(moved[:time].max()) < 1e-10 < float(moved[time])


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_is_a_function_of_its_parameters(variant: str) -> None:
    one, same, other = made(variant, 1), made(variant, 1), made(variant, 2)
    ids = draw(2, 5)
    assert not list(one.buffers())
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), same.parameters(), strict=True))
    for training in (True, False):
        one.train(training)
        other.train(training)
        parameters = dict(other.named_parameters())
        found = functional_call(one, parameters, (ids,))
        torch.testing.assert_close(found, other(ids))
        gradients = torch.autograd.grad(found.square().sum(), list(parameters.values()))
        assert all(gradient.isfinite().all() for gradient in gradients)
        moved = {name for name, each in zip(parameters, gradients, strict=True) if each.abs().max() > 1e-12}
        assert moved == set(parameters)


@pytest.mark.parametrize("variant", STACKED)
@pytest.mark.parametrize("state_passing", [0.0, 0.5])
def test_runs_side_by_side_are_runs_one_by_one(variant: str, state_passing: float) -> None:
    modules = [made(variant, seed, state_passing=state_passing).train() for seed in range(3)]
    assert all(module.stackable for module in modules)
    ids = draw(4, 40)

    def loss(parameters: dict[str, Tensor]) -> Tensor:
        logits: Tensor = functional_call(modules[0], parameters, (ids,))
        return logits.log_softmax(-1)[..., 0].mean()

    each = [{name: value.detach() for name, value in module.named_parameters()} for module in modules]
    runs = {name: torch.stack([own[name] for own in each]) for name in each[0]}
    values, gradients = vmap(loss)(runs), vmap(grad(loss))(runs)
    for number, module in enumerate(modules):
        torch.testing.assert_close(values[number], loss(each[number]))
        plain = torch.autograd.grad(loss(dict(module.named_parameters())), list(module.parameters()))
        for name, gradient in zip(each[0], plain, strict=True):
            torch.testing.assert_close(gradients[name][number], gradient, rtol=1e-7, atol=1e-10)


# State passing


@pytest.mark.parametrize("variant", VARIANTS)
def test_in_training_some_rows_start_where_others_end(variant: str) -> None:
    module, ids = made(variant, state_passing=0.5), draw(5, 6)
    ends = []
    for tokens in ids.tolist():
        reader = literal(variant, module)
        read(reader, tokens)
        ends.append(reader.state)
    passing = [False, True, False, True, False]
    with torch.no_grad():
        plain, passed = module(ids), module.train()(ids)
    for row, tokens in enumerate(ids.tolist()):
        reader = literal(variant, module)
        np.testing.assert_allclose(plain[row].numpy(), read(reader, tokens), atol=1e-8)
        reader = literal(variant, module)
        if passing[row]:
            windows = [reader.kind(layer) == "window" for layer in range(2)]
            reader.state = [[] if window else end for window, end in zip(windows, ends[row - 1], strict=True)]
        np.testing.assert_allclose(passed[row].numpy(), read(reader, tokens), atol=1e-8)
    torch.testing.assert_close(module(ids[:1]), module.eval()(ids[:1]))  # one row has no other


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_gradient_flows_through_a_state_that_is_passed_on(variant: str) -> None:
    module = made(variant, state_passing=1.0).train()
    ids = torch.tensor([[0, 1, 1], [0, 2, 3]])
    (gradient,) = torch.autograd.grad(module(ids)[1].square().sum(), module.embedding.weight)
    used = gradient.abs().amax(-1) > 0
    assert used.tolist() == [True, False, True, True, False]


@given(st.integers(1, 40), st.floats(0, 1))
@example(rows=1, share=1.0)
@example(rows=7, share=1.0)
def test_the_share_of_rows_is_spread_evenly_and_no_row_gets_its_own_end(rows: int, share: float) -> None:
    ends = torch.arange(1, rows + 1)[:, None]
    starts = passed_on(ends, share)
    chosen = (starts != 0).flatten()
    assert abs(int(chosen.sum()) - share * rows) < 1 or rows == 1
    assert torch.equal(starts[chosen], ends.roll(1, 0)[chosen])
    assert not (starts == ends).any()


# The recurrences themselves


@settings(deadline=None)
@given(st.integers(1, 40), st.booleans(), st.booleans(), st.integers(0, 99))
def test_a_scan_is_a_loop(time: int, turning: bool, started: bool, seed: int) -> None:
    torch.manual_seed(seed)
    dtype = torch.complex128 if turning else torch.float64
    a, b = torch.randn(2, time, 2, 3, dtype=dtype)
    start = torch.randn(2, 3, dtype=dtype) if started else None
    h, loop = torch.zeros(2, 3, dtype=dtype) if start is None else start, []
    for t in range(time):
        h = a[t] * h + b[t]
        loop.append(h)
    torch.testing.assert_close(scan(a, b, start), torch.stack(loop))


@pytest.mark.parametrize("dtype", [torch.float64, torch.complex128])
@pytest.mark.parametrize("time", [1, 2, 5])
def test_gradients_of_a_scan(dtype: torch.dtype, time: int) -> None:
    torch.manual_seed(0)
    a, b = (torch.randn(time, 2, dtype=dtype).requires_grad_() for _ in range(2))
    start = torch.randn(2, dtype=dtype).requires_grad_()
    assert gradcheck(scan, (a, b, start))
    assert gradgradcheck(scan, (a, b, start))


def test_gradients_of_a_scan_with_gates_that_are_zero() -> None:
    a = torch.tensor([[0.0], [1.0], [0.0], [-1.0]], dtype=torch.float64).requires_grad_()
    b = torch.randn(4, 1, dtype=torch.float64).requires_grad_()
    assert gradcheck(scan, (a, b))


@pytest.mark.parametrize("factors", [1, 2])
def test_gradients_of_the_delta_rule(factors: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.models.deltanet.CHUNK", 4)  # so that a few tokens make several chunks
    torch.manual_seed(0)
    query, start = torch.randn(5, 2, dtype=torch.float64), torch.randn(2, 2, dtype=torch.float64)
    key, value = (torch.randn(5 * factors, 2, dtype=torch.float64) for _ in range(2))
    rate = 2 * torch.rand(5 * factors, 1, dtype=torch.float64)
    arrays = [each.requires_grad_() for each in (query, normalize(key, dim=-1), value, rate, start)]
    assert gradcheck(delta_rule, arrays)


def test_gates_stay_in_their_range_and_reach_its_ends() -> None:
    raw = torch.cat([torch.linspace(-200, 200, 401), torch.randn(399)]).view(-1, 4)
    for name, lowest in (("ssm", 0.0), ("ssm-signed", -1.0)):
        gates = RECURRENCES[name](4).gates(raw)
        assert (float(gates.min()), float(gates.max())) == (lowest, 1.0)
    modulus = RECURRENCES["ssm-complex"](4).gates(raw).abs()
    assert 0.0 == float(modulus.min()) < 1 - 1e-6 < float(modulus.max()) < 1 + 1e-6
    rule = {signed: DeltaRule(4, heads=1, signed=signed, reflections=1) for signed in (False, True)}
    for signed, each in rule.items():
        rates = each.rates(raw * 1e3).detach()
        assert (float(rates.min()), float(rates.max())) == (0.0, 2.0 if signed else 1.0)


def test_states_of_long_inputs_stay_finite() -> None:
    ids = draw(2, 2000)
    for variant in VARIANTS:
        with torch.no_grad():
            assert made(variant).float()(ids).isfinite().all()


# What each class can do, exactly and at length 1000: one layer whose parameters are set by hand.
# Tokens are pairs of opposite entries, and so are results: layer norm has no mean to take away.

LONG = 1000
SOS = 0


class ByHand:
    """A module whose parameters are zero, but for embedding, norms and what is set."""

    def __init__(self, make: Callable[..., Any], vocabulary: int, **options: Any) -> None:
        self.vocabulary, self.width = vocabulary, 2 * vocabulary + 4
        self.module = make(vocabulary=vocabulary, positions=LONG, layers=1, width=self.width, **options)
        self.mixer = self.module.blocks[0].mixer
        with torch.no_grad():
            for name, parameter in self.module.named_parameters():
                parameter.fill_(1.0 if "norm" in name and name.endswith("weight") else 0.0)
            tokens = torch.arange(vocabulary)
            self.module.embedding.weight[tokens, tokens] = 1.0
            self.module.embedding.weight[tokens, tokens + vocabulary] = -1.0
        self.entry = (self.width / 2) ** 0.5  # of a token's vector behind the norm

    def by_token(self, linear: nn.Linear, row: int, numbers: dict[int, float], other: float = 0.0) -> None:
        """Let a row of a linear map give each token its number."""
        with torch.no_grad():
            for token in range(self.vocabulary):
                linear.weight[row, token] = numbers.get(token, other) / self.entry

    def show(self, channels: tuple[int, int], wanted: list[tuple[float, float]]) -> None:
        """Show two channels of the mixer to the head, whose answer is the token of the nearest direction."""
        first = 2 * self.vocabulary
        with torch.no_grad():
            for number, channel in enumerate(channels):
                self.mixer.out.weight[first + 2 * number, channel] = 1.0
                self.mixer.out.weight[first + 2 * number + 1, channel] = -1.0
            for answer, direction in enumerate(wanted):
                self.module.head.weight[answer, [first, first + 2]] = torch.tensor(direction)

    def answers(self, letters: Tensor) -> Tensor:
        ids = torch.cat([torch.full((len(letters), 1), SOS), letters], 1)
        with torch.no_grad():
            found: Tensor = self.module.eval()(ids)[:, 1:, : len(self.module.head.weight)].argmax(-1)
        return found

    def diagonal(self, gate: dict[int, float], write: dict[int, float], value: dict[int, float]) -> None:
        """Channel 0 of a diagonal recurrence, by token; its output gate is open."""
        width = self.width
        self.by_token(self.mixer.inputs, 0, gate)
        self.by_token(self.mixer.inputs, width, write, -400.0)
        self.by_token(self.mixer.inputs, 2 * width, value)
        with torch.no_grad():
            self.mixer.inputs.bias[3 * width :] = 10.0


def test_signed_gates_compute_parity() -> None:
    model = ByHand(ssm_signed, 3)  # the start writes 1, letter 1 turns its sign
    model.diagonal({1: -50.0, 2: 50.0}, {SOS: 400.0}, {SOS: 1.0})
    model.show((0, 1), [(1.0, 0.0), (-1.0, 0.0), (0.0, 0.0)])
    letters = torch.randint(1, 3, (4, LONG), generator=torch.Generator().manual_seed(0))
    assert torch.equal(model.answers(letters), (letters == 1).cumsum(1) % 2)


def test_gates_from_0_to_1_keep_the_last_letter_that_was_written() -> None:
    model = ByHand(ssm, 4)  # letters 1 and 2 write, letter 3 keeps
    model.diagonal({1: -400.0, 2: -400.0, 3: 400.0}, {1: 400.0, 2: 400.0}, {1: 1.0, 2: -1.0})
    model.show((0, 1), [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 0.0)])
    letters = torch.full((4, LONG), 3)
    letters[:, 0] = torch.tensor([1, 2, 1, 2])
    letters[2, 500], letters[3, 998] = 2, 1
    expected = letters.clone()
    for time in range(1, LONG):
        keeps = letters[:, time] == 3
        expected[keeps, time] = expected[keeps, time - 1]
    assert torch.equal(model.answers(letters), expected)


def test_complex_gates_count_modulo_3() -> None:
    model = ByHand(ssm_complex, 3)  # the start writes 1, letter 1 turns it by a third
    model.diagonal(dict.fromkeys(range(3), 400.0), {SOS: 400.0}, {SOS: 1.0})
    half = model.width // 2
    model.by_token(model.mixer.inputs, half, {1: 2 / 3})
    thirds = [2 * math.pi * answer / 3 for answer in range(3)]
    model.show((0, half), [(math.cos(angle), math.sin(angle)) for angle in thirds])
    letters = torch.randint(1, 3, (4, LONG), generator=torch.Generator().manual_seed(0))
    assert torch.equal(model.answers(letters), (letters == 1).cumsum(1) % 3)


PERMUTATIONS = list(itertools.permutations(range(3)))
GENERATORS = {1: (1, 0, 2), 2: (1, 2, 0)}
"""Which entry each letter brings to each place: a swap and a turn, which make all of S3."""


def test_two_reflections_per_token_multiply_in_s3() -> None:
    model = ByHand(deltanet, 6, heads=1, signed=True, reflections=2)
    width, mixer = model.width, model.mixer

    def factor(number: int, token: int, key: tuple[float, float, float], rate: float) -> None:
        with torch.no_grad():
            for entry in range(3):
                mixer.key.weight[number * width + entry, token] = key[entry]
            mixer.rate.weight[number, token] = rate / model.entry

    # The start writes rows (1, 1, 1), which no permutation moves, and (3, −2, −1), which all move.
    factor(0, SOS, (1.0, 1.0, 1.0), 0.0)
    factor(1, SOS, (3.0, -2.0, -1.0), 0.0)
    with torch.no_grad():
        mixer.value.weight[0, SOS] = mixer.value.weight[width + 1, SOS] = 1.0
        mixer.query.weight[:3] = torch.tensor([[1.0], [0.2], [0.5]])
        mixer.query.weight[:3, 6:] = 0.0
    # A swap is one reflection (the other has rate 0), a turn is two.
    factor(0, 1, (1.0, -1.0, 0.0), 400.0)
    factor(1, 1, (1.0, -1.0, 0.0), -400.0)
    factor(0, 2, (1.0, -1.0, 0.0), 400.0)
    factor(1, 2, (0.0, 1.0, -1.0), 400.0)
    invariant = np.array([1.0, 1.0, 1.0]) / 3**0.5
    moved = np.array([3.0, -2.0, -1.0]) / 14**0.5
    query = np.array([1.0, 0.2, 0.5])
    directions = []
    for permutation in PERMUTATIONS:
        answer = np.array([invariant @ query, moved[list(permutation)] @ query])
        directions.append(tuple((answer / np.linalg.norm(answer)).tolist()))
    model.show((0, 1), directions)
    letters = torch.randint(1, 3, (2, LONG), generator=torch.Generator().manual_seed(0))
    expected = []
    for word in letters.tolist():
        row, shown = (0, 1, 2), []
        for letter in word:
            row = tuple(row[place] for place in GENERATORS[letter])
            shown.append(PERMUTATIONS.index(row))
        expected.append(shown)
    assert set(itertools.chain(*expected)) == set(range(6))
    assert model.answers(letters).tolist() == expected


# Bad options

REFUSED = [
    (ssm, {"width": 0}, "width: expected a whole number of at least 1, not 0"),
    (lstm, {"layers": 1.5}, "layers: expected a whole number of at least 1, not 1.5"),
    (gru, {"state_passing": 1.2}, "state_passing: expected a share from 0 to 1, not 1.2"),
    (rnn, {"state_passing": float("nan")}, "state_passing: expected a share from 0 to 1, not nan"),
    (ssm_signed, {"mlp_ratio": True}, "mlp_ratio: expected a whole number of at least 1, not True"),
    (ssm_complex, {"width": 7}, "width: complex states need an even width, not 7"),
    (deltanet, {"heads": 3}, "width: 64 is not a multiple of 3 heads"),
    (deltanet, {"signed": 1}, "signed: expected true or false, not 1"),
    (deltanet, {"reflections": "2"}, "reflections: expected a whole number of at least 1, not '2'"),
    (hybrid, {"window": -1}, "window: expected a whole number of at least 1, not -1"),
    (hybrid, {"heads": 64}, "width: RoPE needs heads of an even width, not 1"),
    (hybrid, {"rope": None}, "rope: expected true or false, not None"),
    (
        hybrid,
        {"recurrence": "lstm"},
        "recurrence: no recurrence named 'lstm'; there are ssm, ssm-signed, ssm-complex, deltanet",
    ),
]


@pytest.mark.parametrize(("make", "options", "message"), REFUSED)
def test_bad_options_are_refused_in_one_line(
    make: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        make(vocabulary=5, positions=9, **options)
    assert str(caught.value) == message
