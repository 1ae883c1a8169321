"""Runs Python line by line and shows each with its value, as Python's own prompt does."""

import ast
import json


class Session:
    """The lines of a session share their names, as at the prompt."""

    def __init__(self, **names):
        self.names = names

    def run(self, line):
        """Shows a line, runs it and shows its value, that of an assignment included. Gives the value."""
        print(f">>> {line}")
        statement = ast.parse(line).body[0]
        value = eval(compile(ast.Expression(statement.value), "<session>", "eval"), self.names)
        if isinstance(statement, ast.Assign):
            self.names[statement.targets[0].id] = value
        if value is not None:
            print(value if isinstance(value, bool) else json.dumps(value, indent=2))
        print()
        return value

    def fails(self, line, error_type):
        """Shows a line that raises an error of the given type, and the error. Gives the error."""
        print(f">>> {line}")
        try:
            value = eval(line, self.names)
        except error_type as error:
            print(f"{error_type.__module__}.{error_type.__name__}: {error}")
            return error
        raise AssertionError(f"{line} gave {value!r}; expected: {error_type.__name__}")


def expect(actual, expected):
    """Compares; of dictionaries only the keys that are expected."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        actual = {key: actual.get(key) for key in expected}
    if actual != expected:
        raise AssertionError(f"got {actual!r}; expected: {expected!r}")
