"""Reading statements: numbers, dates, names, negations, in one spelling each. Pure and fast."""

from memory_app.domain.statements.reading import Kind, Statement, Token, read_statement

__all__ = ["Kind", "Statement", "Token", "read_statement"]
