"""Source tree to records: an optional part, loaded only when it is used.

Begin reading at `model.py` (what an extractor finds), then `extractors.py` (which
language reads which file), `records.py` (from there to the wire format) and
`run.py` (a whole tree, on all cores).
"""
