"""Catalogues that installed tools carry: what a tool itself says of its errors.

Each module reads one kind of tool and yields each `ToolMessage`; `table.py` has their names.
Nothing of a tool is kept in this package: the records are made on the machine where the tool is.
"""
