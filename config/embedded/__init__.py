"""A private PostgreSQL and a private Valkey for a machine that has neither.

    addresses   where the servers of a home are; all that settings need
    liveness    whether they answer; all that manage.py needs
    servers     start, stop and report on both; `python -m config.embedded`
    postgres, valkey                 what is particular to each
    lifecycle                        how any of them starts and stops, whatever crashed before
    folders, sockets, identity, lock, process, logs, binaries, errors   one subject each

Importing this package, or any module of it, starts nothing.
"""
