"""Tests of `training.evaluate`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from longreach.config.architectures import BASELINE
from longreach.config.encodings import ENCODINGS
from longreach.config.model import BASELINE_SHAPE
from longreach.errors import InputError
from longreach.models.decoder import forward, initialise
from longreach.models.fast.packed import Packed
from longreach.models.fast.paths import PACKED_OUTPUTS, applies
from longreach.models.network import Network
from longreach.models.network import network as network_for
from longreach.tasks.task import Batch, draw_lengths
from longreach.training import evaluate as bins
from longreach.training import generate as generation
from longreach.training.batches import Chunk, chunks, placed
from longreach.training.evaluate import PackedPart, Part, accuracy, draw_bins, packed_parts
from longreach.training.generate import generate, written_right
from longreach.training.loop import train
from longreach.training.setup import decoder_of, network_of, task_of
from tests.helpers.plain_generation import plainly_generated
from tests.models.fast.test_paths import parameters_of, shape
from tests.training.test_loop import tiny


@pytest.mark.parametrize("task", ["parity", "addition", "tomita-1"])
def test_a_sequence_is_right_when_all_its_supervised_tokens_are(task: str) -> None:
    config = tiny(task=task, train_lengths=(4, 6), test_lengths=((7, 9),), test_size=400)
    network = network_of(config)
    rng = np.random.default_rng(0)
    known = task_of(config)
    batch = placed(known.sample(draw_lengths(known, 4, 6, 400, rng), rng), config, "shifted", rng)
    # Half trained, so that some are right; and with large parameters, so that answers differ.
    half = network.vector(train(config.model_copy(update={"max_steps": 40})).parameters)
    for vector in (half, *(network.vector(initialise(decoder_of(config), seed)) * 20 for seed in range(3))):
        named = network.named(vector)
        logits = forward(
            named, decoder_of(config), torch.from_numpy(batch.tokens), torch.from_numpy(batch.position_ids)
        )
        guess = logits.argmax(dim=-1).numpy()
        right = sum(
            all(guess[row, place] == batch.targets[row, place] for place in np.flatnonzero(batch.mask[row]))
            for row in range(len(batch))
        )
        for parts in (chunks(batch, 7), packed_parts(batch, config)):
            found = accuracy(vector, network, parts)
            assert found == right / len(batch)
        assert vector is not half or task == "addition" or found > 0


def test_bins_are_fixed_by_the_seed_and_have_both_kinds_of_positions() -> None:
    config = tiny(task="sort")
    one, other = (list(draw_bins(config, np.random.default_rng(3))) for _ in range(2))
    assert [each.name for each in one] == ["1-10", "11-20"]
    for mine, yours in zip(one, other, strict=True):
        for a, b in zip((*mine.first, *mine.shifted), (*yours.first, *yours.shifted), strict=True):
            assert torch.equal(batch_of(a).tokens, batch_of(b).tokens)
            assert torch.equal(batch_of(a).ids, batch_of(b).ids)
        assert all(bool((ids_of_firsts(part) == 0).all()) for part in mine.first)
        assert any(bool((ids_of_firsts(part) > 0).any()) for part in mine.shifted)
        assert sum(len(ids_of_firsts(part)) for part in mine.first) == config.test_size
    longest = max(int(batch_of(part).ids.max()) for each in one for part in each.shifted)
    assert longest < decoder_of(config).positions


def batch_of(part: Part) -> Packed:
    assert isinstance(part, PackedPart)
    return part.packed


def ids_of_firsts(part: Part) -> torch.Tensor:
    """The position ids of the first token of each row."""
    batch = batch_of(part)
    return batch.ids[batch.places == 0]


OPTIONS: list[dict[str, Any]] = [{}, {"log_length": True}, {"layer_norm": False}, {"tied": False}]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("task", "encoding", "options"),
    [
        *(("parity", encoding, {}) for encoding in (*ENCODINGS, BASELINE)),
        *(("copy-repeat", "ape", {"predict_ids": True, **options}) for options in OPTIONS),
        *(("parity", encoding, {"position_ids": "pose"}) for encoding in ("ape", "rope", "t5")),
        *((task, "ape", options) for task in ("tomita-1", "sort") for options in OPTIONS),
        *((task, "alibi", {"log_length": True}) for task in ("tomita-1", "sort")),
    ],
)
def test_bins_without_padding_have_the_same_accuracy(
    task: str, encoding: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = BASELINE_SHAPE if encoding == BASELINE else {"heads": 2}
    config = tiny(task=task, encoding=encoding, test_size=120, test_lengths=((11, 30),), **given, **options)
    network = network_of(config)
    is_packed = applies(PACKED_OUTPUTS, network.shape)
    monkeypatch.setattr(bins, "PACKED_AT_ONCE", 300)
    packed = list(draw_bins(config, np.random.default_rng(3)))
    monkeypatch.setattr(bins, "applies", lambda *_, **__: False)
    shifting = replace(network, ignores_offsets=False)
    monkeypatch.setattr(bins, "network_of", lambda config: shifting)
    padded = list(draw_bins(config, np.random.default_rng(3)))
    assert is_packed == (encoding not in (BASELINE, "window", "fox", "cope"))
    assert isinstance(packed[0].first[0], PackedPart if is_packed else Chunk)
    assert isinstance(padded[0].first[0], Chunk)
    same = encoding in (
        "nope", "alibi", "t5", "coupled-local", "fox", "stick-breaking", "reach", "cope", BASELINE,
    )  # fmt: skip
    trained = train(config.model_copy(update={"max_steps": 30})).parameters
    for vector in (network.vector(trained), network.vector(network.initial(0)) * 20):
        for mine, yours in zip(packed, padded, strict=True):
            assert (mine.shifted is mine.first) == same
            for kind in ("first", "shifted"):
                found, wanted = (accuracy(vector, network, getattr(each, kind)) for each in (mine, yours))
                # One sequence may hang on the rounding of a tie.
                assert found == pytest.approx(wanted, abs=1 / 120 + 1e-9)


def test_a_row_without_supervised_tokens_is_right() -> None:
    config = tiny(task="parity")
    rng = np.random.default_rng(0)
    batch = task_of(config).sample([3] * 50, rng)
    unasked = replace(batch, mask=batch.mask & (np.arange(50) < 20)[:, None])
    network = network_of(config)
    vector = network.vector(initialise(decoder_of(config), 0)) * 20
    found, wanted = (
        accuracy(vector, network, parts) for parts in (packed_parts(unasked, config), chunks(unasked, 1))
    )
    assert found == wanted >= 0.6
    nothing = replace(batch, mask=np.zeros_like(batch.mask))
    assert accuracy(vector, network, packed_parts(nothing, config)) == 1.0


@pytest.mark.parametrize("encoding", list(ENCODINGS))
@pytest.mark.parametrize(
    "change", [{}, {"log_length": True}, {"predict_ids": True}, {"tied": False, "predict_ids": True}], ids=str
)
@pytest.mark.parametrize("end", [None, 3])
def test_as_if_the_prefix_were_read_again(
    encoding: str, change: dict[str, Any], end: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generation, "WRITTEN_AT_ONCE", 60)  # several parts
    config = shape(encoding=encoding, positions=40, **change)
    parameters, rng = parameters_of(config), np.random.default_rng(0)
    rows, width, most = 9, 6, 12
    tokens = rng.integers(0, config.vocabulary, (rows, width))
    ids, following = (rng.integers(0, config.positions, (rows, size)) for size in (width, most))
    sizes, limits = rng.integers(1, width + 1, rows), rng.integers(0, most + 1, rows)
    made = generate(
        parameters,
        network_for(config),
        tokens,
        sizes=sizes,
        ids=ids,
        most=limits,
        end=end,
        following=following,
    )
    for row in range(rows):
        size, limit, count = int(sizes[row]), int(limits[row]), int(made.counts[row])
        prompt = tokens[row, :size].tolist(), ids[row, :size].tolist()
        wanted = plainly_generated(parameters, config, *prompt, following[row, :limit].tolist(), end)
        assert made.tokens[row, :count].tolist() == wanted[0]
        assert made.ids[row, :count].tolist() == wanted[1]
        assert not made.tokens[row, count:].any()
        assert not made.ids[row, count:].any()
    assert len(set(made.counts.tolist())) > 3


def test_ids_go_on_where_nothing_is_said() -> None:
    config = shape(positions=9)
    parameters = parameters_of(config)
    made = generate(
        parameters, network_for(config), np.array([[1, 2, 5], [1, 4, 0]]), sizes=np.array([3, 2]), most=6
    )
    assert made.ids.tolist() == [[3, 4, 5, 6, 7, 8], [2, 3, 4, 5, 6, 7]]
    # The last one is written and never read: its id need not exist.
    assert generate(parameters, network_for(config), np.array([[1, 2, 5]]), most=7).ids[0, -1] == 9
    with pytest.raises(InputError, match="the position id 9 is beyond the 9 of the model"):
        generate(parameters, network_for(config), np.array([[1, 2, 5]]), most=8)
    with pytest.raises(InputError, match="a prompt has no token"):
        generate(parameters, network_for(config), np.array([[1]]), sizes=np.array([0]), most=1)


def _trained(**given: Any) -> tuple[Any, Network, torch.Tensor]:
    fields = {"train_lengths": (1, 3), "test_lengths": ((4, 5),), "lr": 1e-2, "max_steps": 90}
    config = tiny(task=given.pop("task", "copy-repeat"), **{**fields, **given})
    network = network_of(config)
    return config, network, network.vector(train(config).parameters)


@pytest.mark.parametrize(
    "given",
    [
        {"predict_ids": True},
        {"encoding": "coupled"},
        {"task": "parity"},
        {"task": "addition", "train_lengths": (4, 6), "test_lengths": ((7, 8),)},
        {"task": "repeated-copy", "predict_ids": True, "train_lengths": (2, 5), "test_lengths": ((6, 8),)},
    ],
    ids=str,
)
def test_a_sequence_is_written_right_when_each_step_is(given: dict[str, Any]) -> None:
    """Teacher-forced accuracy and free generation count the same sequences: a wrong step spoils both."""
    config, network, vector = _trained(**given)
    task, rng = task_of(config), np.random.default_rng(1)
    shares = []
    for lengths in config.ranges:
        batch = placed(task.sample(rng.integers(lengths[0], lengths[1] + 1, 300), rng), config, "first", rng)
        forced = accuracy(vector, network, packed_parts(batch, config))
        found = written_right(network.named(vector), network, task, batch)
        assert found is not None
        assert found.right == pytest.approx(forced, abs=1 / 300 + 1e-9)
        assert found.tokens_right >= found.right
        shares.append(found.right)
    assert max(shares) > 0


def test_what_cannot_be_written_on_ones_own() -> None:
    """Between supervised tokens something would have to be given."""
    config = tiny(task="parity")
    model = decoder_of(config)
    tokens = np.array([[1, 4, 3, 6]])
    mask = np.array([[True, False, True, True]])
    batch = Batch(tokens, tokens, mask, np.arange(4)[None], np.array([4]))
    assert written_right(parameters_of(model), network_for(model), task_of(config), batch) is None


@pytest.mark.parametrize("task", ["parity", "tomita-3", "sort"])
def test_probing_words_change_no_other_number(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are drawn last: what was measured before they existed is the same to the last bit."""
    config = tiny(task=task, max_steps=30, train_lengths=(3, 6), test_lengths=((8, 12),), test_size=60)
    with_them = train(config)
    monkeypatch.setattr(type(task_of(config)), "probing_sample", lambda *_: None)
    monkeypatch.setattr("longreach.training.evaluate.certificate_sample", lambda *_: None)
    without = train(config)
    assert with_them.rows[:-1] == without.rows[:-1]
    for name in ("accuracy", "accuracy_random_offset", "loss", "steps"):
        assert getattr(with_them.final, name) == getattr(without.final, name)
    new = with_them.final.other.keys() - without.final.other.keys()
    kinds = ["probing", "worst loop"]
    kinds += {"tomita-3": ["flow"], "sort": ["chance probing"]}.get(task, [])
    assert new == {f"{kind} {span}" for kind in kinds for span in ("3-6", "8-12")}


@pytest.mark.parametrize("encoding", ["nope", "ape"])
def test_probing_numbers_are_the_mean_and_the_worst_loop(
    encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Counted again word by word, by the plain forward pass."""
    config = tiny(
        task="tomita-4", encoding=encoding, max_steps=150, lr=1e-2, test_size=90, test_lengths=((11, 14),)
    )
    task, seen = task_of(config), []
    draw = type(task).probing_sample

    def kept(self: Any, *given: Any) -> Any:
        seen.append(draw(self, *given))
        return seen[-1]

    monkeypatch.setattr(type(task), "probing_sample", kept)
    trained = train(config)
    for lengths, probes in zip(config.ranges, seen, strict=True):
        batch = probes.batch
        guess = forward(trained.parameters, decoder_of(config), torch.from_numpy(batch.tokens)).argmax(dim=-1)
        right: dict[int, list[bool]] = {}
        for row in range(len(batch)):
            places = np.flatnonzero(batch.mask[row])
            found = all(int(guess[row, place]) == batch.targets[row, place] for place in places)
            right.setdefault(int(probes.loops[row]), []).append(found)
        every = [each for loop in right.values() for each in loop]
        other = trained.final.other
        assert other[f"probing {lengths.name}"] == pytest.approx(sum(every) / 90)
        worst = min(sum(loop) / len(loop) for loop in right.values())
        assert other[f"worst loop {lengths.name}"] == pytest.approx(worst)
    assert 0 < other["probing 11-14"] < 1 or other["probing 1-10"] > 0


def test_with_the_length_given_the_end_is_not_asked_for_and_comes_not_too_early() -> None:
    """Against the definition, row by row; and a model that never ends is right where the rest is."""
    config = tiny(task="copy-repeat", train_lengths=(2, 3), test_lengths=((4, 5),), test_size=300)
    network, known, rng = network_of(config), task_of(config), np.random.default_rng(0)
    batch = placed(known.sample(draw_lengths(known, 2, 3, 300, rng), rng), config, "first", rng)
    vector = network.vector(train(config.model_copy(update={"max_steps": 40})).parameters)
    logits = forward(
        network.named(vector), decoder_of(config), torch.from_numpy(batch.tokens),
        torch.from_numpy(batch.position_ids),
    )  # fmt: skip
    end = known.tokens.index("EOS")
    without = logits.clone()
    without[..., end] = -torch.inf
    guess = without.argmax(dim=-1).numpy()
    asked = batch.mask & (batch.targets != end)
    right = sum((guess[row] == batch.targets[row])[asked[row]].all() for row in range(len(batch)))
    for parts in (chunks(batch, 7), packed_parts(batch, config)):
        assert accuracy(vector, network, parts, length_given=True) == right / len(batch)
        assert accuracy(vector, network, parts) <= right / len(batch)
    assert 0 < right < len(batch)


@pytest.mark.parametrize(
    ("task", "ended"),
    [("sort", True), ("copy-repeat", True), ("parity", False), ("aa", False), ("mqar", False)],
)
def test_tasks_whose_answers_are_several_tokens_and_an_end(task: str, ended: bool) -> None:
    known = task_of(tiny(task=task, train_lengths=(4, 8), test_lengths=((10, 12),)))
    batch = known.sample([8] * 20, np.random.default_rng(0))
    assert bins.ends_answers(known, batch) is ended
