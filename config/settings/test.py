"""Tests: embedded parts of their own, see tests/conftest.py."""

from config.settings.dev import *

SECRET_KEY = "only for tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMBEDDING_BACKEND = "none"
EMBEDDING_ENGLISH_MODEL = "none"
LISTS_ARE_KEPT = False  # most tests never commit, and kept lists end by commits
