""""""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from longreach.errors import InputError
from longreach.models.decoder import initialise
from longreach.training import devices
from longreach.training import loop as engine
from longreach.training.batches import Batches, Streams
from longreach.training.devices import CPU, check_dtype, describe, find_device, precision, prepare, send_chunk
from longreach.training.job import run
from longreach.training.loop import train
from longreach.training.run import Diverged
from longreach.training.setup import decoder_of, network_of
from longreach.training.steps import State, step_numbers, update
from tests.training.test_loop import same, stopped, tiny


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: f"Card {device.index}")


@pytest.fixture
def no_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)


@pytest.mark.usefixtures("two_gpus")
def test_names_with_gpus() -> None:
    assert [str(find_device(name)) for name in ("auto", "cuda", "cuda:1", "cpu")] == [
        "cuda:0", "cuda:0", "cuda:1", "cpu",
    ]  # fmt: skip
    assert describe(find_device("cuda:1")) == "cuda:1 (Card 1)"
    with pytest.raises(
        InputError, match=r"^device: cuda:2 is not available here, there are cuda:0 to cuda:1$"
    ):
        find_device("cuda:2")


@pytest.mark.usefixtures("no_gpus")
def test_names_without_gpus() -> None:
    assert find_device("auto") == CPU
    for name in ("cuda", "cuda:1", "mps"):
        with pytest.raises(InputError, match=f"^device: {name} is not available here$"):
            find_device(name)
        with pytest.raises(InputError, match=r"^device"):
            run(tiny().document(), device=name)
    for name in ("", "cuda:", "cuda:-1", "CUDA", "meta", "xpu"):
        with pytest.raises(InputError, match="is not one of auto, cpu, cuda, cuda:N, mps"):
            find_device(name)


def test_bfloat16_on_old_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_macos_or_newer", lambda *version: False)
    mps = torch.device("mps")
    check_dtype("float32", mps)
    check_dtype("bfloat16", CPU)
    with pytest.raises(InputError, match="dtype: bfloat16 needs macOS 14 on mps"):
        check_dtype("bfloat16", mps)


def test_the_precision_is_that_of_the_device() -> None:
    with precision("bfloat16", CPU):
        assert torch.is_autocast_enabled("cpu")
        assert (torch.ones(2, 2) @ torch.ones(2, 2)).dtype == torch.bfloat16
    with precision("float32", CPU):
        assert not torch.is_autocast_enabled("cpu")


def test_one_thread_only_where_the_processor_works(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", asked.append)
    prepare(torch.device("meta"))
    prepare(CPU)
    assert asked == [1]


@pytest.mark.parametrize("encoding", ["ape", "rope", "alibi", "t5", "fire", "sinusoidal"])
def test_nothing_is_made_on_the_wrong_device(encoding: str) -> None:
    """The device `meta` has shapes only, and refuses tensors of others."""
    config = tiny(encoding=encoding, layers=2, heads=2, task="sort", log_length=True)
    meta, network = torch.device("meta"), network_of(config)
    state = State.fresh(network.vector(initialise(decoder_of(config), 0)).to(meta))
    leaf = state.vector.detach().requires_grad_()
    for chunk in Batches(config, Streams(0).data).chunks(0, 2):
        sent = send_chunk(chunk, meta)
        logits, _ = network.outputs(network.named(leaf), sent.inputs)
        assert logits.device == meta
        assert logits.shape == (*sent.targets.shape, decoder_of(config).vocabulary)
        (gradient,) = torch.autograd.grad(logits.sum(), leaf)
        norm = update(
            state.vector, state.first, state.second, gradient, step_numbers(config, 0).to(meta), config
        )
        assert norm.device == meta


def test_losses_that_are_read_late_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = train(tiny())
    monkeypatch.setattr(engine, "steps_between_reads", lambda device: 7)
    assert same(train(tiny()), at_once)
    with pytest.raises(Diverged) as late:
        train(tiny(lr=1e30))
    monkeypatch.undo()
    with pytest.raises(Diverged) as alone:
        train(tiny(lr=1e30))
    assert str(late.value) == str(alone.value)


def test_a_state_has_the_losses_that_were_not_read_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "steps_between_reads", lambda device: 50)
    stopped(tiny(), tmp_path, 33)
    again = train(tiny(), tmp_path)
    assert again.resumed == 33
    assert same(again, train(tiny()))


def test_reads_are_rare_elsewhere() -> None:
    assert devices.steps_between_reads(CPU) == 1
    assert devices.steps_between_reads(torch.device("cuda:0")) == devices.STEPS_BETWEEN_READS
