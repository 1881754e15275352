"""The REST interface: parse, one service call, render."""
