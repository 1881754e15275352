"""Prove that every value of one JSON Schema is a value of another one; what cannot be proved is not.

`nodes` reads a schema into conjunctions of keywords, `meeting` joins two of them, `values` tests single
values, `inclusion` proves, with `scalars`, `arrays` and `objects` for the keywords of a type, and
`disjoint` tells whether two schemas have no value in common.
"""

from toolroster.compat.proof.inclusion import Prover, included
from toolroster.compat.proof.nodes import Side
from toolroster.compat.proof.refusal import Refusal, Unprovable

__all__ = ["Prover", "Refusal", "Side", "Unprovable", "included"]
