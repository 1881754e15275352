"""`python -m toolroster.cli`."""

from toolroster.cli import main

main()
