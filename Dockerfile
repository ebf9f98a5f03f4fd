# syntax=docker/dockerfile:1
# Two stages: the first has pip and what builds the package, the second only what runs.

FROM python:3.13-slim-bookworm AS build
WORKDIR /srv/errdex
COPY requirements.lock ./
RUN python -m venv /srv/errdex/venv \
    && /srv/errdex/venv/bin/python -m pip install --no-cache-dir --retries 10 --timeout 60 --require-hashes -r requirements.lock
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY app ./app
COPY templates ./templates
COPY static ./static
COPY data ./data
COPY docs ./docs
RUN /srv/errdex/venv/bin/python -m pip install --no-cache-dir --no-build-isolation --no-deps . \
    && /srv/errdex/venv/bin/python -m pip uninstall --yes hatchling editables pathspec pluggy trove-classifiers

FROM python:3.13-slim-bookworm
LABEL org.opencontainers.image.title="Errdex" \
      org.opencontainers.image.description="A searchable knowledge base of errors" \
      org.opencontainers.image.licenses="MIT"
ENV PATH="/srv/errdex/venv/bin:$PATH" \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    ERRDEX_DATABASE_URL="sqlite:////var/lib/errdex/errdex.db" \
    ERRDEX_CACHE_FOLDER=/var/lib/errdex/cache \
    ERRDEX_HOST=0.0.0.0 \
    ERRDEX_PORT=8000
WORKDIR /srv/errdex
COPY --from=build /srv/errdex/venv /srv/errdex/venv
COPY data ./data
# The number, not a name, so that an orchestrator can see that it is not root.
RUN install -d -o 10001 -g 10001 /var/lib/errdex
VOLUME ["/var/lib/errdex"]
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen('http://127.0.0.1:' + os.environ['ERRDEX_PORT'] + '/readyz', timeout=2)"]
# What is in the image is loaded (unchanged records cost next to nothing), then served.
CMD ["sh", "-c", "errdex ingest data --dataset starter --prune && exec errdex serve"]
