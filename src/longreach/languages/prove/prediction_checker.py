"""An independent check of what certificates say of prediction on prefixes; only definitions are used.

A flow certificate refutes prediction as well if its letter may follow both states of its pair and leads them
to different states. Let v be a word that is accepted after only one of the two, and y its longest beginning
that may follow both: after y the sets of legal next symbols differ, and up to there both words begin words of
the language. No program tells them apart, by the argument for membership.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longreach.languages.prove.language_certificates import AutomatonTable, FlowCertificate


def live_states_of(table: AutomatonTable) -> set[int]:
    """The states from which an accepting one can be reached.

    >>> table = AutomatonTable(alphabet=("a",), transitions=((1,), (2,), (2,)), accepting=(1,))
    >>> sorted(live_states_of(table))
    [0, 1]
    """
    live = set(table.accepting)
    while True:
        more = {q for q, row in enumerate(table.transitions) if q not in live and not live.isdisjoint(row)}
        if not more:
            return live
        live |= more


def flow_prediction_problem(certificate: FlowCertificate) -> str | None:
    """Why a flow certificate that is valid for membership does not refute prediction on prefixes as well."""
    table = certificate.automaton
    if certificate.letter not in table.alphabet:
        return "without a letter nothing is said of prediction"
    letter = table.alphabet.index(certificate.letter)
    targets = {table.transitions[state][letter] for state in certificate.pair}
    if len(targets) != 2:
        return "the letter leads from both states of the pair to the same state"
    if not targets | set(certificate.states) <= live_states_of(table):
        return "the letter may not follow both states of the pair, so prediction is not refuted"
    return None


def prediction_claim_problem(side: Mapping[str, Any]) -> str | None:
    """What a document says of prediction without proof, for one class of a regular language.

    Certificates are checked elsewhere; here it is checked that they are about what is claimed.

    >>> flow = {"kind": "flow", "automaton": {}}
    >>> prediction_claim_problem({"verdict": "no", "prediction": "yes", "certificate": flow})
    "the document says that prediction is 'yes', with no certificate for it"
    """
    certificate, verdict, claimed = side.get("certificate"), side.get("verdict"), side.get("prediction")
    if not isinstance(certificate, Mapping) or "automaton" not in certificate or claimed is None:
        return None
    if side.get("prediction_everywhere", verdict) != verdict:
        return "prediction on all words has the verdict of membership"
    says = f"the document says that prediction is {claimed!r}"
    own = side.get("prediction_certificate")
    if isinstance(own, Mapping) and own.get("kind") != "none":
        proves = "yes" if own.get("kind") == "program" and own.get("prediction") is True else None
        return None if proves == claimed else f"{says}, which is not what its certificate proves"
    if claimed == verdict:
        of_both = certificate.get("kind") != "flow" or certificate.get("prediction") is True
        return None if claimed != "no" or of_both else f"{says}, and the flow is about membership only"
    return f"{says}, with no certificate for it" if claimed in ("yes", "no") else None
