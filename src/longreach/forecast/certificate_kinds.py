"""The table of certificate kinds. A new kind is one file and one entry here.

It stands in `forecast`, not in `verdicts`, because the checkers of some kinds ask tasks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from longreach.errors import InputError, near_names
from longreach.forecast.black_box_kinds import BLACK_BOX_KINDS
from longreach.forecast.certificate_explainers import (
    communication_facts,
    communication_in_short,
    explain_communication,
    explain_reduction,
    reduction_in_short,
)
from longreach.forecast.certificate_kind import Finder, LanguageKind, TaskKind
from longreach.forecast.communication_checker import check_communication
from longreach.forecast.communication_to_verdict import by_communication
from longreach.forecast.program_to_verdict import by_program
from longreach.forecast.reduction_checker import check_reduction
from longreach.forecast.reduction_to_verdict import by_reduction
from longreach.forecast.task_certificates import (
    CommunicationCertificate,
    ReductionCertificate,
    TaskProgramCertificate,
)
from longreach.forecast.task_program_checker import check_task_program
from longreach.languages.prove.flow_checker import check_flows, check_nothing
from longreach.languages.prove.flow_explainer import explain_flow, explain_sampled_flow
from longreach.languages.prove.language_certificates import (
    FlowCertificate,
    NoCertificate,
    ProgramCertificate,
    SampledFlowCertificate,
)
from longreach.languages.prove.program_checker import check_program
from longreach.verdicts.verdict import CertificateDocument

KINDS: tuple[LanguageKind | TaskKind, ...] = (
    TaskKind(document=TaskProgramCertificate, proves="yes", find=by_program, check=check_task_program),
    TaskKind(
        document=CommunicationCertificate,
        proves="no",
        find=by_communication,
        check=check_communication,
        explain=explain_communication,
        facts=communication_facts,
        in_short=communication_in_short,
    ),
    TaskKind(
        document=ReductionCertificate,
        proves="no",
        find=by_reduction,
        check=check_reduction,
        explain=explain_reduction,
        in_short=reduction_in_short,
    ),
    *BLACK_BOX_KINDS,
    LanguageKind(document=FlowCertificate, proves="no", check=check_flows, explain=explain_flow),
    LanguageKind(
        document=SampledFlowCertificate, proves="no", check=check_flows, explain=explain_sampled_flow
    ),
    LanguageKind(document=ProgramCertificate, proves="yes", check=check_program),
    LanguageKind(document=NoCertificate, proves=None, check=check_nothing),
)
FINDERS: Mapping[str, Finder] = {kind.name: kind.find for kind in KINDS if isinstance(kind, TaskKind)}
"""By the kind of evidence."""


def kind_of(certificate: CertificateDocument) -> LanguageKind | TaskKind:
    """The entry of a certificate's kind.

    >>> kind_of(NoCertificate(reason="undecided")).name
    'none'
    """
    return next(kind for kind in KINDS if isinstance(certificate, kind.document))


def read_any(document: Mapping[str, Any]) -> CertificateDocument:
    """A certificate of any kind from its JSON object.

    >>> read_any({"kind": "none", "reason": "undecided"}).kind
    'none'
    """
    text = json.dumps(document)
    kind = next((each for each in KINDS if each.reads(document)), None)
    if kind is None:
        names = dict.fromkeys(each.name for each in KINDS)
        given = document.get("kind")
        hint = near_names(given, names) if isinstance(given, str) else ""
        raise InputError(f"kind: there is no certificate {given!r}; they are {', '.join(names)}{hint}")
    try:
        return kind.document.model_validate_json(text, strict=True)  # type: ignore[return-value]
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ([kind.name] if isinstance(kind, LanguageKind) else []) + list(map(str, first["loc"]))
        raise InputError(f"{'.'.join(place) or 'certificate'}: {first['msg']}") from None
