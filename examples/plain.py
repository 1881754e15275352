"""A provider without any framework: `python examples/plain.py`."""

from toolroster import Provider, agent_tool


@agent_tool(categories=["math"], read_only=True, examples=["What is 3 plus 4?"])
def add(a: float, b: float) -> float:
    """Add two numbers. Use it for sums, not for dates."""
    return a + b


if __name__ == "__main__":
    Provider("http://localhost:8006", add, name="math-team").serve(9000)
