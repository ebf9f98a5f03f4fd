"""Errdex for coding agents: a server of the Model Context Protocol (optional extra: mcp).

`tools.py` has the table of tools, `replies.py` what they answer, `server.py` speaks the protocol,
`stdio.py` and `http.py` carry it.
"""
