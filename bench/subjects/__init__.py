"""What is measured, a subject a module: `UNIT`, `variants()` and, where there is more to say, `facts()`."""
