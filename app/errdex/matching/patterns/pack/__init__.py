"""The pack: a pattern set in the form in which it is used, as one run of bytes.

It is built once (`build`), kept in a file beside the database, and mapped into memory by every
process that matches (`mapped_file`). Opening it reads the file once for its checksum and makes no
object for each pattern.

    sections    header and sections: names, offsets, checksum
    columns     many texts or groups of numbers in a section or two
    facts       what a pattern set knows of each pattern
    keys        which eight bytes of its literals a pattern is looked up by
    build       a pack from patterns, or from another pack and what changed
"""
