"""The interfaces of the application: command line, REST, MCP, LangChain and Inspect."""
