"""Errdex inside other programs: pytest, IPython. Each uses what `import errdex` offers."""
