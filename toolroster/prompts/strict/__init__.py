"""OpenAI's strict mode: convert a schema into its subset, or say where that would change the meaning.

`conversion` walks the schema, `keywords` knows what the subset has, `unions` when `oneOf` is as good as
`anyOf`, `limits` how large a schema may be.
"""

from toolroster.prompts.strict.conversion import strict_schema

__all__ = ["strict_schema"]
