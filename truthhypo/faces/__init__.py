"""The interfaces of the application: command line, REST, MCP and LangChain."""
