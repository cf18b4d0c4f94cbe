"""The ingestion room: release files in, a receipt out."""
