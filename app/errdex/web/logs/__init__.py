"""OpenTelemetry logs: OTLP over HTTP (optional extra: otlp)."""
