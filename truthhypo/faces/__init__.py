"""The interfaces of the application: command line, page, REST, MCP and LangChain."""
