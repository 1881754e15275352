"""Tools of texts, on an object."""

from tests.toolroster.provider.package.math import add
from toolroster import agent_tool

__all__ = ["add"]


class Texts:
    """An object with a tool."""

    @agent_tool
    def upper(self, text: str) -> str:
        """Return the text in upper case."""
        return text.upper()


texts = Texts()
