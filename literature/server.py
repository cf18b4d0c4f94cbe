"""The connection to an Elasticsearch server, and the conversion of its errors to the program's errors."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from elastic_transport import ConnectionError as NoConnection
from elastic_transport import ConnectionTimeout, ObjectApiResponse, SerializationError, TransportError
from elasticsearch import ApiError, Elasticsearch, UnsupportedProductError

from groundwork.errors import InputError, StoreError, StoreUnreachable, TimeLimit, without_password
from groundwork.settings import Settings

#: Time limit in seconds for administration (clone, merge), whose duration grows with the index.
PATIENCE = 4 * 3600

#: The transport logs the errors that it also raises. Without a handler, Python would print them on stderr.
_UNHEARD = logging.NullHandler()

#: HTTP status codes of a server that is reachable but cannot work at the moment.
NOT_NOW = frozenset({429, 502, 503, 504})

#: Types of errors with the status 404: there is no index, or a shard of the index is not started.
_NO_INDEX = "index_not_found_exception"
_NO_SHARD = ("illegal_index_shard_state_exception", "shard_not_found_exception")


def bare(address: str) -> str:
    """Return an address without user and password.

    Raises:
        InputError: The address names no host, or is malformed.
    """
    parts = urlsplit(address)
    try:
        host, port = parts.hostname, parts.port
    except ValueError:  # the message of this error would repeat the password
        shown, wanted = without_password(address), "http://host:9200, special characters of a password as %XX"
        raise InputError(f"no server at {shown!r}", wanted, "correct the address") from None
    if not host:
        raise InputError(f"no host in {without_password(address)!r}", "http://host:9200", "correct the address")
    named = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{named}:{port or (443 if parts.scheme == 'https' else 9200)}{parts.path.rstrip('/')}"


def client(address: str, settings: Settings) -> Elasticsearch:
    """Return a client that has not yet contacted its server.

    User and password in the address take precedence over those in the settings. Without a password, the client sends no
    credentials.
    """
    logging.getLogger("elastic_transport").addHandler(_UNHEARD)
    parts = urlsplit(address)
    user = parts.username or settings.literature_user
    password = parts.password or settings.literature_password.get_secret_value()
    return Elasticsearch(
        bare(address),
        basic_auth=(user, password) if password else None,
        request_timeout=settings.literature_timeout,
        max_retries=1,
        retry_on_timeout=False,
    )


@contextmanager
def explained(address: str, seconds: float, easier: str = "") -> Iterator[None]:
    """Convert errors of the driver inside the block to the program's errors.

    Args:
        address: The server's address, without credentials.
        seconds: The time limit of each request.
        easier: What the user can ask for instead if the time limit is too short.

    Raises:
        TimeLimit: A request exceeded the time limit.
        StoreUnreachable: No server answers, or the server is not Elasticsearch, is not ready, or refuses the user.
        StoreError: The server refused the request for another reason, which the error contains.
        InputError: The text has more words than the server accepts in one query.
    """
    try:
        yield
    except ConnectionTimeout as error:
        raise TimeLimit(f"a request to Elasticsearch at {address}", seconds, "literature_timeout", easier) from error
    except NoConnection as error:
        raise StoreUnreachable(
            f"Elasticsearch at {address} does not answer: {error.message}",
            "a running server at that address",
            "check that it runs, that host, port and http or https are right, and that no firewall or proxy blocks it",
        ) from error
    except (UnsupportedProductError, SerializationError) as error:
        raise StoreUnreachable(
            f"the server at {address} is not Elasticsearch: {error}", "an Elasticsearch 9 server", "check the address"
        ) from error
    except ApiError as error:
        raise _refused(address, error) from error
    except TransportError as error:
        raise StoreError(f"Elasticsearch at {address}: {error.message}", "an answer", "see the server's log") from error


def whole(answer: ObjectApiResponse[Any], part: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
    """Return an answer, or one part of an answer, if it covers all documents that the request asked for.

    A server whose shards are starting or failed answers with status 200 for the other shards. What such an answer
    lacks is unknown, not absent.

    Raises:
        ApiError: The answer reports an error, failed or missing shards, or a time limit of the server.
    """
    told: Mapping[str, Any] = answer.body if part is None else part
    shards = told.get("_shards", {})
    status, error = HTTPStatus.SERVICE_UNAVAILABLE, told.get("error")
    if error:
        status = told.get("status", status)
    elif told.get("timed_out"):
        error = {"type": "timed_out", "reason": "the server's own time limit ended the request"}
    elif shards.get("failed") or not shards.get("successful", 1):
        error = {"type": "failed_shards", "reason": f"{shards['successful']} of {shards['total']} shards answered"}
    else:
        return told
    raise ApiError(error["type"], replace(answer.meta, status=status), {"error": error})


@contextmanager
def if_there() -> Iterator[None]:
    """Leave the block without an error if the index does not exist. All other errors are raised.

    The status alone does not show that there is no index: a shard that is not started has the status 404 too.
    """
    try:
        yield
    except ApiError as error:
        if not reason(error).startswith(_NO_INDEX):
            raise


def reason(error: ApiError) -> str:
    """Return the server's reason for an error."""
    body = error.body.get("error") if isinstance(error.body, dict) else error.body
    if isinstance(body, dict):
        first = (body.get("root_cause") or [body])[0]
        return f"{first.get('type')}: {first.get('reason')}"
    return str(body or error.message)


def _refused(address: str, error: ApiError) -> StoreError | InputError:
    why = reason(error)
    if error.status_code == 401 or "security_exception" in why:
        return StoreUnreachable(
            f"Elasticsearch at {address} refuses this user ({error.status_code})",
            "a user that may read and write the index",
            "check literature_user and literature_password (TRUTHHYPO_LITERATURE_USER, TRUTHHYPO_LITERATURE_PASSWORD)",
        )
    if error.status_code in NOT_NOW or why.startswith(_NO_SHARD):
        return StoreUnreachable(
            f"Elasticsearch at {address} is not ready ({error.status_code}): {why}",
            "a started server with its shards allocated",
            "wait until its health is yellow or green, then run the command again; otherwise read the server's log",
        )
    if "maxClauseCount" in why:
        return InputError(
            "a text with more words than the server accepts in one query", why, "search for a shorter text"
        )
    return StoreError(
        f"Elasticsearch at {address} refused ({error.status_code}): {why}",
        "a request that it accepts",
        "see the server's reason; a write block may come from a full disk",
    )
