"""The service over HTTP: REST under /api/v1, MCP at /mcp, health checks and metrics."""
