"""The bound command: documents, text, and what bad input gets."""

from __future__ import annotations

from pathlib import Path

from longreach.models.counting import RegressionShape
from longreach.theory.limit.files import save
from longreach.theory.limit.hand_built import induction_head
from tests.cli.conftest import Call
from tests.helpers.trained_numbers import saved_numbers

GIVEN = ["precision=8", "gamma=0.5", "L=2", "period=3", "alphabet=2", "locality=1"]
SET = [part for setting in GIVEN for part in ("--set", setting)]


def test_quantities_alone(longreach: Call) -> None:
    done = longreach("bound", *SET, "--error", "0.1", "--json")
    assert (done.code, done.err) == (0, "")
    document = done.document
    worst, workshop = document["bounds"]
    assert (worst["name"], workshop["name"]) == ("one-layer-worst-case", "one-layer-workshop")
    assert worst["terms"] == {"hard": 65536, "resolution": 55_987_200}
    assert (worst["value"], workshop["value"]) == (55_987_200, 65536)
    assert worst["up_to_constants"] is True
    assert worst["formula"]
    assert worst["assumes"]
    missing = {each["name"]: each["missing"] for each in document["not_applicable"]}
    assert missing["one-layer-average"] == ["alpha0"]
    assert missing["two-layer"] == ["C_f", "C_g", "gamma_f", "gamma_g"]
    assert missing["automaton"] == ["states"]
    assert missing["depth-one"] == ["T"]
    assert missing["planted-sparse"]


def test_the_option_is_the_quantity(longreach: Call) -> None:
    by_option = longreach("bound", *SET[2:], "--precision", 8, "--error", "0.1", "--json")
    by_name = longreach("bound", *SET, "--error", "0.1", "--json")
    assert by_option.document["bounds"][0]["value"] == by_name.document["bounds"][0]["value"]


def test_numbers_beyond_floating_point(longreach: Call) -> None:
    done = longreach("bound", "--set", "gamma=0.001", *SET[4:], "--precision", 24, "--error", "0.1", "--json")
    worst = done.document["bounds"][0]
    assert worst["value"] is None
    assert worst["log2"] == 24_000
    assert (
        "10^7,225"
        in longreach("bound", "--set", "gamma=0.001", *SET[4:], "--precision", 24, "--error", 1).out
    )


def test_a_task(longreach: Call) -> None:
    done = longreach("bound", "tomita-4", "--error", "0.1", "--json")
    document = done.document
    (found,) = document["bounds"]
    assert (found["name"], found["value"], found["up_to_constants"]) == ("automaton", 6, False)
    assert "no computable bound exists for two-layer C-RASP in general" in document["notes"][0]
    (two,) = [each for each in document["not_applicable"] if each["name"] == "two-layer"]
    assert "Heaviside" in two["why"]["C_f"]
    text = longreach("bound", "tomita-4", "--error", "0.1").out
    assert "Length 6 is enough for a learner that returns the smallest automaton" in text
    assert "at most 4 states" in text
    assert "No computable bound" in text
    assert "one-layer" not in text
    every = longreach("bound", "tomita-4", "--error", "0.1", "--all").out
    assert "automaton             6  no unknown constants" in every
    assert "not computed: one-layer-worst-case" in every


def test_a_model(longreach: Call, tmp_path: Path) -> None:
    save(induction_head("ab"), tmp_path / "model")
    done = longreach("bound", tmp_path / "model", "--error", "0.1", "--json")
    document = done.document
    assert [each["name"] for each in document["bounds"]] == ["two-layer"]
    assert document["quantities"]["heads"][0]["regime"] == "position-dominated"
    save(induction_head("ab", phi=1.25), tmp_path / "other")
    done = longreach("bound", tmp_path / "model", "--against", tmp_path / "other", "--error", "0.1", "--json")
    assert done.document["bounds"][0]["terms"]["exponent"] == 4


def test_explanations(longreach: Call) -> None:
    done = longreach("bound", *SET, "--error", "0.1", "--explain")
    for word in (
        "says",
        "formula",
        "inputs",
        "assumes",
        "constants",
        "source",
        "quantities that --set takes",
    ):
        assert word in done.out
    assert "arXiv 2510.27015" in done.out
    assert "missing alpha0" in done.out


def test_the_average_and_the_planted_ones(longreach: Call) -> None:
    document = longreach("bound", "--set", "alpha0=2", "--error", "0.1", "--json").document
    assert document["bounds"][0]["value"] == 1000
    values = {
        "delta": "0.001",
        "L_local": 5,
        "train_length": 20,
        "test_length": 40,
        "eta_train": 20,
        "eta_test": 40,
    }
    settings = [part for name, value in values.items() for part in ("--set", f"{name}={value}")]
    (found,) = longreach("bound", *settings, "--json").document["bounds"]
    assert (found["name"], found["gives"], found["value"]) == ("planted-sparse", "error", 25_600)


def test_a_directory_without_a_model(longreach: Call, tmp_path: Path) -> None:
    done = longreach("bound", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.first_error.endswith("no model.safetensors in it, so no model")


def test_tasks_with_numbers_as_answers_have_the_bounds_of_the_model_built_for_them(longreach: Call) -> None:
    by_task, by_hand = (
        longreach("bound", name, "--error", "0.1", "--precision", 8, "--json").document
        for name in ("modp-task:p=4,k=1", "hand:modp-task:period=4,residue=1")
    )
    assert by_task["bounds"] == by_hand["bounds"]
    assert [each["name"] for each in by_task["bounds"]] == ["one-layer-worst-case", "one-layer-workshop"]
    found = longreach("bound", "in-context-kgram:S=3,k=2", "--error", "0.1", "--json").document
    values = {each["name"]: each["value"] for each in found["bounds"]}
    assert values["in-context-kgram"] == 10_000  # ε^{−k²}
    assert "two-layer" in values


def test_without_a_precision_the_length_once_attention_is_hard(longreach: Call) -> None:
    said = longreach("bound", "simple-task:omega=4", "--error", "0.1").out
    assert "Once attention is hard, a length of the order of 5.1 · 10^7 is enough." in said
    assert "not known without --precision P" in said
    done = longreach("bound", "simple-task:omega=4", "--error", "0.1", "--all")
    assert "one-layer-workshop    needs --precision P; once attention is hard 7.012e+04" in done.out
    assert "no bound applies" not in done.out


def test_trained_models_of_tasks_with_numbers(longreach: Call, tmp_path: Path) -> None:
    scaled = RegressionShape(symbols=3, outputs=1, layers=1, width=4, hidden=8, log_length=True)
    good = saved_numbers(scaled, tmp_path / "scaled")
    plain = saved_numbers(scaled.model_copy(update={"log_length": False}), tmp_path / "plain")
    limits = ("--error", "0.1", "--precision", 4, "--json")
    alone = longreach("bound", good, *limits).document
    pair = longreach("bound", "hand:simple-task", "--against", good, *limits).document
    assert alone["quantities"]["gamma"] == pair["quantities"]["gamma"] < 4
    assert [each["name"] for each in pair["bounds"]] == ["one-layer-worst-case", "one-layer-workshop"]
    for given in ((plain,), ("hand:simple-task", "--against", plain)):
        found = longreach("bound", *given, *limits).document
        assert not found["bounds"]
        first = found["not_applicable"][0]
        assert first["missing"] == ["gamma"]
        assert "trained without log|x|" in first["why"]["gamma"]
        assert first["terms"]["resolution"] > 0


def test_one_sentence_for_each_kind_of_answer(longreach: Call) -> None:
    proved = longreach("bound", *SET, "--error", "0.1").out
    assert "A length of the order of 5.6 · 10^7 is enough for an error of 0.1" in proved
    assert "constants are not known" in proved
    assert "65,536" not in proved  # the heuristic stands behind --all
    assert "No bound applies: no program exists" in longreach("bound", "addition").out
    assert "error of the order of √0.1" in longreach("bound", "--set", "alpha0=2", "--error", "0.1").out


def test_an_error_above_the_range_of_outputs_is_refused(longreach: Call) -> None:
    """A sine of a small multiple of a number between −1 and 1 does not reach 1."""
    for subject, error, most in (
        ("tomita-4", "1.5", "1"),
        ("simple-task:omega=4", "2.1", "2"),
        ("hand:simple-task:omega=1", "1.7", "1.683"),
        ("modp-task:p=2,k=1", "3/2", "1"),
        ("in-context-kgram:S=2,k=1", "1.5", "1.414"),
    ):
        done = longreach("bound", subject, "--error", error, "--json")
        assert (done.code, done.out) == (2, "")
        assert done.err == f"--error: {error} is above the range of outputs, which is {most}\n"
    assert longreach("bound", "tomita-4", "--error", "1").code == 0
