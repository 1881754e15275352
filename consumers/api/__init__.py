"""The REST interface of consumers: parse, one service call, render."""
