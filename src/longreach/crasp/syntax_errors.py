"""What a syntax error means, in one sentence that says what was expected."""

from __future__ import annotations

import re

from lark import UnexpectedCharacters, UnexpectedInput, UnexpectedToken

POSITION_HINT = "'i' stands only in position tests, as in (i % 2 == 0), and in guards, as in #[i-1] …"
_COMPARISONS = {"EQ", "NE", "LT", "LE", "GT", "GE"}
_LITERALS = {
    "EQUAL": "'='", "RPAR": "')'", "LPAR": "'('", "RSQB": "']'", "RBRACE": "'}'", "LBRACE": "'{'",
    "COMMA": "','", "COLON": "':'", "ELSE": "'else'", "INT": "an integer", "STRING": "a token in quotes",
    "NAME": "a name", "I": "'i'", "PERCENT": "'%'", "IN": "'in'", "EQ": "'=='", "NE": "'!='",
    "MINUS": "'-'", "__ANON_0": "'..'",
}  # fmt: skip


def explain(error: UnexpectedInput, rest: str) -> str:
    """The message for a syntax error; `rest` is the source from the error to the end of its line."""
    if isinstance(error, UnexpectedToken):
        expected = set(error.accepts or error.expected)
        return _unexpected_token(error.token.type, str(error.token), expected, rest)
    assert isinstance(error, UnexpectedCharacters)
    return _unexpected_character(rest, set(error.allowed or ()))


def _unexpected_character(rest: str, expected: set[str]) -> str:
    char = rest[:1]
    if char in "\"'":
        return "the quoted token does not end on this line"
    if char in "&|":
        return f"unexpected '{char}'; write '{char * 2}'"
    directive = re.match(r"#\w+", rest)
    if directive and "OUTPUT" in expected:
        return f"unknown directive '{directive[0]}'; known are #alphabet and #import"
    # Which brackets are open is not known here, so that the closing ones would only mislead.
    wanted = "an operator" if "AND" in expected else _expectation(expected)
    return f"unexpected {char!r}; expected {wanted}"


def _unexpected_token(kind: str, text: str, expected: set[str], rest: str) -> str:
    if kind in ("_NL", "$END"):
        return f"unexpected end of line; expected {_expectation(expected)}"
    if "OUTPUT" in expected:
        if kind == "COUNT":
            found = re.match(r"#\s*\w*", rest)
            return f"unknown directive '{found[0] if found else '#'}'; known are #alphabet and #import"
        if text.isidentifier():
            return f"'{text}' is reserved and cannot be a name; a statement is NAME = …"
        return f"unexpected '{text}'; expected a statement: NAME = …"
    if kind in _COMPARISONS and "AND" in expected:
        return "comparisons are not chained; write a <= b && b <= c"
    if kind == "EQUAL" and "EQ" in expected:
        return "unexpected '='; write '==' to compare"
    if kind == "EQUAL" and "AND" in expected:
        return "unexpected '='; a line holds one statement"
    if kind == "EQUAL" and expected == {"STRING"}:
        return "'output' is reserved and cannot be a name; a predictor's statement is output \"a\" = …"
    if kind == "MINUS" and "STRING" in expected:
        return "there is no unary minus; write 0 - …"
    if kind == "I" and "STRING" in expected:
        return POSITION_HINT
    if kind == "PERCENT":
        return "'%' stands only in position tests, as in i % 2 == 0"
    return f"unexpected '{text}'; expected {_expectation(expected)}"


def _expectation(expected: set[str]) -> str:
    if "OUTPUT" in expected:
        return "a statement: NAME = …"
    if "STRING" in expected and "NAME" in expected:
        return "an expression"
    if expected & {"AND", "IFF"}:
        closing = [_LITERALS[name] for name in ("RPAR", "COMMA", "COLON", "ELSE") if name in expected]
        return " or ".join(["an operator", *closing] if closing else ["an operator", "the end of the line"])
    if "I" in expected and "LBRACE" in expected:
        return "a guard: pred, i-3, i-3..i-1, {i-1, i-4} or <"
    names = sorted(
        _LITERALS.get(name, f"'{name.lower()}'") for name in expected if name not in ("_NL", "$END")
    )
    return " or ".join(names) if names else "the end of the line"
