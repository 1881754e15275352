"""The switches of a comparison, with the defaults of COMPAT §3.2."""

from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self

from toolroster.errors import DocumentInvalid, Fault

ZERO_MAJOR_POLICIES = ("seed", "shift")


@dataclass(frozen=True, slots=True)
class CompatPolicy:
    """What counts as breaking where reasonable people differ.

    `zero_major_policy` says what follows 0.x: "seed" counts as for any other version (0.3.1 → 1.0.0 for a
    break), "shift" moves every step one place to the right (0.3.1 → 0.4.0), as npm's ranges expect it.
    """

    inject_defaults: bool = False
    """Defaults are filled in before arguments are checked: a new required parameter with one is a warning."""
    type_widening: bool = False
    """A type that takes more than before is a warning, not breaking."""
    assert_formats: bool = True
    """`format` is checked; off, it is a note, and a change of it a warning."""
    strict_defaults: bool = False
    """A changed default is breaking."""
    strict_outputs: bool = False
    """An optional field that is gone from the output is breaking."""
    strict_output_enums: bool = False
    """A value added to an enumeration of the output is breaking."""
    strict_policy: bool = False
    """A lower rate limit, timeout or size is breaking."""
    endpoint_exposed: bool = False
    """Callers hold the address: another one is breaking."""
    endpoint_proxied: bool = False
    """Calls go through the registry: another address is no more than information."""
    zero_major_policy: Literal["seed", "shift"] = "seed"

    @classmethod
    def of(cls, switches: Any) -> Self:
        """Read switches as a client sends them.

        Raises:
            DocumentInvalid: one is unknown, or of another type.
        """
        if not isinstance(switches, dict):
            raise DocumentInvalid(
                "/policy: Send an object.", errors=[Fault("/policy", "type", "Send an object.")]
            )
        known = {one.name for one in fields(cls)}
        found = [_fault(name, value, known) for name, value in switches.items()]
        faults = [fault for fault in found if fault is not None]
        if faults:
            raise DocumentInvalid(
                f"{faults[0].pointer}: {faults[0].detail}", errors=faults, nearest=sorted(known)
            )
        return cls(**switches)

    def as_json(self) -> dict[str, Any]:
        """Return the switches as a JSON object."""
        return asdict(self)


def _fault(name: str, value: Any, known: set[str]) -> Fault | None:
    where = f"/policy/{name}"
    if name not in known:
        return Fault(where, "unknown", f"There is no switch {name!r}; there are {', '.join(sorted(known))}.")
    if name == "zero_major_policy":
        is_known = value in ZERO_MAJOR_POLICIES
        return None if is_known else Fault(where, "not_allowed", f"Write {' or '.join(ZERO_MAJOR_POLICIES)}.")
    return None if isinstance(value, bool) else Fault(where, "type", "Write true or false.")
