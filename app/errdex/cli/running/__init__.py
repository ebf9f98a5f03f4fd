"""Runs another program so that it notices nothing, and keeps what it printed.

`piped.py` passes two streams on, each to its own; `terminal.py` gives the program a terminal of its
own where standard output is one. Both return the program's exit status. Nothing here is imported
before a program is run: on some systems the modules of terminals do not exist.
"""
