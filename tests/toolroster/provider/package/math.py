"""Tools of mathematics."""

from toolroster import agent_tool


@agent_tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


def helper(a: float) -> float:
    """Is no tool."""
    return a
