"""What it takes to install and to import the library."""

import subprocess
import sys

from bench.subjects import library

FORBIDDEN = ("django", "celery", "rest_framework", "numpy", "registry", "oauth", "config")


def test_it_brings_at_most_twenty_packages_and_no_django():
    brought = library.packages()

    assert len(brought) <= 20, sorted(brought)
    assert not brought & {"django", "celery", "numpy"}


def test_an_import_loads_nothing_heavy():
    code = (
        "import sys, toolroster; print(*[n for n in ('httpx', 'jsonschema', 'pydantic') if n in sys.modules])"
    )

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == ""


def test_all_of_the_library_works_without_the_platform():
    code = (
        "import sys\n"
        "from toolroster import *\n"
        "import toolroster.cli, toolroster.prompts, toolroster.lint\n"
        f"print(*[name for name in {FORBIDDEN} if name in sys.modules])"
    )

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == ""
