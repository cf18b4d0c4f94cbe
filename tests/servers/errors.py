"""What can go wrong on the way to a running server."""


class UnavailableError(Exception):
    """This machine lacks something that the server needs; the message is one plain reason.

    Tests that need the server are skipped (or fail in CI).
    """


class StartError(Exception):
    """The server can be run here but did not start; the message ends with the tail of its log.

    Always a failure: a server that breaks must not look like a server that is absent.
    """
