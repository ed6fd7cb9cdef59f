"""Parameter dictionaries."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from longreach.errors import InputError
from longreach.models.parameters import Initial, check, draw, register
from tests.helpers.stacked import member, stack

TABLE = {
    "wide.weight": Initial((200, 200), "normal", 0.02),
    "bound": Initial((5000,), "uniform", 0.5),
    "value": Initial((3,), "constant", 1.5),
}


def test_values_follow_the_table() -> None:
    drawn = draw(TABLE, 0)
    assert drawn["wide.weight"].std().item() == pytest.approx(0.02, rel=0.03)
    assert abs(drawn["wide.weight"].mean().item()) < 5e-4
    assert 0.49 < drawn["bound"].abs().max().item() <= 0.5
    assert drawn["value"].tolist() == [1.5] * 3


def test_a_member_does_not_depend_on_its_neighbours_or_on_global_state() -> None:
    torch.manual_seed(1)
    alone = draw(TABLE, 5)
    torch.manual_seed(2)
    together = stack([draw(TABLE, seed) for seed in (4, 5, 6)])
    assert all(torch.equal(member(together, 1)[name], alone[name]) for name in TABLE)
    assert not torch.equal(together["bound"][0], together["bound"][1])


def test_a_module_has_the_same_names() -> None:
    module = nn.Module()
    drawn = draw(TABLE, 0)
    register(module, drawn)
    assert set(module.state_dict()) == set(TABLE)
    assert all(torch.equal(module.state_dict()[name], drawn[name]) for name in TABLE)


def test_what_does_not_fit_is_named() -> None:
    drawn = draw(TABLE, 0)
    with pytest.raises(InputError, match=r"'wide.weigth': not of this model; did you mean 'wide.weight'"):
        check(TABLE, {**drawn, "wide.weigth": drawn["value"]})
    with pytest.raises(InputError, match="'bound': missing"):
        check(TABLE, {name: value for name, value in drawn.items() if name != "bound"})
