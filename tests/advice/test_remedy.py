from __future__ import annotations

from longreach.advice.remedy import Remedy


def test_command_and_document() -> None:
    remedy = Remedy(
        task="regex:(aa)*+scratchpad", encoding="coupled", change="change", basis="why", ground="local steps"
    )
    assert remedy.command == "longreach train 'regex:(aa)*+scratchpad' --encoding coupled --seeds 3"
    assert remedy.name == "regex:(aa)*+scratchpad with coupled"
    document = remedy.document()
    assert {"change", "task", "encoding", "ground", "basis", "command"} <= set(document)
