"""A company's OpenID provider: django-oauth-toolkit in its OpenID mode, as a process of its own."""
