"""Errdex over an archive of logs, with Apache Spark (optional extra: spark).

    import errdex.spark

    matches = errdex.spark.match(lines, pack="errdex.pack", group="stream", order="ts")
    errdex.spark.count_hits(matches).show()

`parts` answers one stream of any length, `rows` says what a row of the result is, `files` reads
logs in the tasks that match them, `pack_file` brings the pack to the executors. None of these
imports Spark, which `matching` and `bulk` do. docs/scale.md describes it.
"""

from errdex.spark.matching import count_hits, match

__all__ = ["count_hits", "match"]
