"""A study: the cells of a published table or figure, the members to train for them, and the picture."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from longreach.comparison.outcome import Outcome, outcomes
from longreach.comparison.places import Place
from longreach.config.any_member import AnyMember
from longreach.config.scales import Scale, first_seed_of, remark_of, scale_table, seeds_of
from longreach.config.training import TrainConfig
from longreach.errors import Field, InputError, near_names
from longreach.experiments.resolve import resolve
from longreach.results.figure_files import figure_bytes
from longreach.results.index import Row
from longreach.studies.cell_tables import cell_tables
from longreach.studies.own_cells import OwnCells
from longreach.studies.theory import TheoryTable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = (".svg", ".png", ".pdf", ".md")
"""The last one has the cells as tables."""
TEXTS = (".md", ".json")
FEW = 8  # names that an error message lists


class Summary(Protocol):
    """What a study says beyond its cells."""

    def document(self) -> dict[str, Any]:
        """As JSON has it."""

    def markdown(self) -> str:
        """For the file with the tables."""

    def text(self) -> str:
        """For the terminal."""


@dataclass(frozen=True, kw_only=True)
class Study:
    """One published table or figure.

    >>> from longreach.studies.all_studies import STUDIES
    >>> len(STUDIES["figure1"].places), len(STUDIES["table2"].members("laptop"))
    (58, 0)
    """

    name: str
    title: str
    source: str
    """The paper and its table or figure."""
    about: str
    time: str
    """How long it takes at which scale."""
    places: tuple[Place, ...] = ()
    """Its cells; none for a table of theory."""
    figure: Callable[[Sequence[Outcome], str], Figure] | None = None
    """From the cells and a title."""
    table: Callable[[], TheoryTable] | None = None
    """What the theory says, for which nothing is trained."""
    config: Callable[[Place, Scale], TrainConfig] | None = None
    """The member of a cell with the seed 0, where that is not the setting of the scale for its task."""
    seeds: Mapping[Scale, int] | None = None
    """Members a cell at each scale, where that is not the scale's own number."""
    setting: str = ""
    """Where the setting comes from, if it is the study's own."""
    summary: Callable[[Sequence[Outcome]], Summary] | None = None
    own: OwnCells | None = None
    """Instead of cells that are tasks under encodings."""

    @property
    def formats(self) -> tuple[str, ...]:
        """The endings of the names of its files, the usual one first."""
        return FIGURES if self.table is None else TEXTS

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of its cells, each once."""
        return tuple(dict.fromkeys(place.task for place in self.places))

    @property
    def encodings(self) -> tuple[str, ...]:
        """The encodings of its cells, each once."""
        return tuple(dict.fromkeys(place.encoding for place in self.places))

    def select(self, tasks: Sequence[str] | None, encodings: Sequence[str] | None) -> tuple[Place, ...]:
        """Its cells with these tasks and encodings; None is all of them."""
        for field, given, known in (
            ("tasks", tasks, self.tasks),
            ("encodings", encodings, self.encodings),
        ):
            for name in given or ():
                if name not in known:
                    close = "" if len(known) <= FEW else near_names(name, known)
                    hint = close or f"; it has {', '.join(known)}"
                    raise InputError(f"{self.name} has no {name!r}{hint}", place=Field(field))
        return tuple(
            place
            for place in self.places
            if (tasks is None or place.task in tasks) and (encodings is None or place.encoding in encodings)
        )

    def members_by_place(
        self, scale: Scale, seeds: int | None = None, places: Iterable[Place] | None = None
    ) -> dict[Place, tuple[TrainConfig, ...]]:
        """What is trained for each cell; the seeds follow each other from the first one of the scale."""
        usual = seeds_of(scale) if self.seeds is None else self.seeds[scale]
        start = first_seed_of(scale) if self.config is None else 0
        numbers = range(start, start + (usual if seeds is None else seeds))
        found: dict[Place, tuple[TrainConfig, ...]] = {}
        for place in self.places if places is None else places:
            first = (self.config or config_of)(place, scale)
            found[place] = tuple(first.with_seed(seed) for seed in numbers)
        return found

    def members(self, scale: Scale, seeds: int | None = None) -> tuple[AnyMember, ...]:
        """All members; none for a table of theory."""
        if self.own is not None:
            return tuple(self.own.members(scale, seeds))
        return tuple(config for configs in self.members_by_place(scale, seeds).values() for config in configs)

    def outcomes(self, rows: Iterable[Row], scale: Scale, seeds: int | None = None) -> list[Outcome]:
        """What the results say of each cell."""
        members = self.members_by_place(scale, seeds)
        remarks = {place: self.setting or remark_of(place.task, place.encoding, scale) for place in members}
        return outcomes(members, remarks, rows)

    def heading(self, scale: Scale) -> str:
        """The title of its figure, with the scale and what that claims."""
        table = scale_table(scale)
        claim = "" if scale != "smoke" or table is None else f": {table.about}"
        return f"{self.title} ({scale} scale{claim})"

    def content(self, found: Sequence[Outcome], scale: Scale, suffix: str) -> bytes:
        """The figure, or the table, in the format of a name's ending."""
        if self.table is not None:
            check_suffix(suffix, TEXTS)
            table = self.table()
            return (table.markdown() if suffix == ".md" else json.dumps(table.document(), indent=1)).encode()
        check_suffix(suffix, FIGURES)
        if suffix == ".md":
            said = "" if self.summary is None else f"{self.summary(found).markdown()}\n"
            return (said + cell_tables(found)).encode()
        assert self.figure is not None, f"{self.name} has neither a figure nor a table"
        drawn = self.figure
        return figure_bytes(lambda: drawn(found, self.heading(scale)), suffix, salt=self.name)


def check_suffix(suffix: str, known: Sequence[str]) -> None:
    """Refuse a format that cannot be written."""
    if suffix not in known:
        reason = f"the name must end in {', '.join(known)}, not in {suffix!r}"
        raise InputError(reason, place=Field("out"))


def config_of(place: Place, scale: Scale) -> TrainConfig:
    """The member of a cell with the seed 0.

    >>> config = config_of(Place("binary-majority", "ape"), "paper")
    >>> config.layers, config.width, config.max_steps, config.test_lengths[-1].name
    (1, 16, 30000, '101-150')
    """
    return resolve(place.task, place.encoding, scale=scale, penalty=place.penalty or None)
