"""The service in a browser: pages made on the server, which work without JavaScript."""
