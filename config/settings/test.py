"""Tests: embedded parts of their own, see tests/conftest.py."""

from config.settings.dev import *

SECRET_KEY = "only for tests"
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMBEDDING_BACKEND = "none"
