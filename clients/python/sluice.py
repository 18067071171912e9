"""The Sluice channel API in one file, for Python 3.9 and later, without dependencies.

    from sluice import Sluice, SluiceError

    sluice = Sluice("http://127.0.0.1:8081/api/v1", "sluice_7e57...", signing_secret=None)
    print(sluice.lookup("SHOP-MUG")["available"])

Requests without an answer and answers 408, 429, 502, 503 and 504 are retried: with exponential backoff and full jitter,
added to Retry-After. That is safe: an order is identified by its number, and a report of a status that the order already
has changes nothing. Every other failure is raised as SluiceError. Programs should decide on its `reason`, never on its text.
"""

import hashlib
import hmac
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request

__all__ = ["Sluice", "SluiceError", "sign"]

SENT_AGAIN = (408, 429, 502, 503, 504)


class SluiceError(Exception):
    """A failed request: an error answer, or no answer (status 0)."""

    def __init__(self, message, status=0, reason=None, code=None, fields=None, retry_after=None, request_id=None):
        super().__init__(message)
        self.status = status
        #: The header Sluice-Error, such as "stock_insufficient"; None: not answered by the service.
        self.reason = reason
        self.code = code
        #: Error texts by field, of a validation failure.
        self.fields = fields
        #: Seconds that the service asks to wait.
        self.retry_after = retry_after
        #: Identifies the request in the logs of the service.
        self.request_id = request_id

    @property
    def is_retriable(self):
        """The same request can succeed later."""
        return self.status == 0 or self.status in SENT_AGAIN or self.code == "insufficient_stock"


def sign(secret, method, target, timestamp, body=b""):
    """The value of X-Sluice-Signature; `target` is the path with its query, exactly as sent."""
    text = f"{method}\n{target}\n{timestamp}\n".encode() + body
    return "v1=" + hmac.new(secret.encode(), text, hashlib.sha256).hexdigest()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: following one would send the API key to another address."""

    def redirect_request(self, *_args):
        return None


class Sluice:
    def __init__(
        self, base_url, api_key, signing_secret=None, timeout=30.0, attempts=5, base_pause=0.25, max_pause=20.0
    ):
        self._base = base_url.rstrip("/")
        self._key = api_key.encode().decode("latin-1")  # a key of another service can be any text: it is sent as UTF-8
        self._secret = signing_secret
        self._timeout = timeout
        self._attempts = attempts
        self._base_pause = base_pause
        self._max_pause = max_pause
        self._opener = urllib.request.build_opener(_NoRedirect)

    def inventory(self):
        """All rows of the stock list."""
        return self._call("GET", "/inventory")[1]["data"]

    def lookup(self, sku):
        """The current stock of one SKU: {"sku", "available", "reserve_remaining"}."""
        return self._call("GET", "/inventory/" + _segment(sku))[1]

    def lookup_many(self, skus):
        """{"data", "unknown"} for at most 1,000 SKUs, all read at the same moment."""
        return self._call("POST", "/inventory/lookup", {"skus": list(skus)})[1]

    def inventory_changes(self, token, wait=0, limit=None):
        """Rows that changed since a token: {"data", "removed", "changes_since", "is_complete", "has_more"}."""
        return self._changes("/inventory", token, wait, limit)

    def submit_order(self, order):
        """The stored order; True if it is new, False if it was accepted before. Both are success."""
        status, body = self._call("POST", "/orders", order)
        return body["data"], status == 201

    def order(self, order_number):
        return self._call("GET", "/orders/" + _segment(order_number))[1]["data"]

    def report_status(self, order_number, status, **fields):
        """Reports a new status of an order, such as report_status("SHOP-1", 3, tracking_number="6012-3344")."""
        path = f"/orders/{_segment(order_number)}/status"
        return self._call("POST", path, {"status": status, **fields})[1]["data"]

    def order_changes(self, token="now", wait=0, limit=None):
        """Orders whose status changed since a token: {"changes", "changes_since", "has_more"}."""
        return self._changes("/orders", token, wait, limit)

    def watch_orders(self, token="now", wait=25):
        """Yields (order, token) for each order whose status changes, without end. Store the token to resume from there.

        Continues after failures that pass, such as a restart of the service; raises all others.
        """
        while True:
            try:
                answer = self.order_changes(token, wait)
            except SluiceError as error:
                if not error.is_retriable:
                    raise
                time.sleep((error.retry_after or 0.0) + random.random() * self._max_pause)
                continue
            changes = answer["changes"]
            for index, order in enumerate(changes):
                # The new token comes with the last order of an answer: only then all changes up to it are delivered.
                yield order, answer["changes_since"] if index == len(changes) - 1 else token
            token = answer["changes_since"]

    def _changes(self, path, token, wait, limit):
        query = {"changes_since": token, "wait": wait}
        if limit is not None:
            query["limit"] = limit
        return self._call("GET", f"{path}?{urllib.parse.urlencode(query)}", wait=wait)[1]

    def _call(self, method, path, body=None, wait=0.0):
        data = None if body is None else json.dumps(body).encode()
        for attempt in range(1, self._attempts + 1):
            try:
                return self._send(method, path, data, self._timeout + wait)
            except SluiceError as error:
                asked = error.retry_after or 0.0
                is_sent_again = error.status == 0 or error.status in SENT_AGAIN
                if not is_sent_again or attempt == self._attempts or asked > self._max_pause:
                    raise
                pause = asked + random.random() * min(self._max_pause, self._base_pause * 2 ** (attempt - 1))
                time.sleep(min(self._max_pause, pause))
        raise AssertionError("attempts must be at least 1")

    def _send(self, method, path, data, timeout):
        url = self._base + path
        headers = {"X-Api-Key": self._key, "Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if self._secret is not None:
            # Signed for each attempt, because a signature expires.
            parts = urllib.parse.urlsplit(url)
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            headers["X-Sluice-Timestamp"] = timestamp = str(int(time.time()))
            headers["X-Sluice-Signature"] = sign(self._secret, method, target, timestamp, data or b"")
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        try:
            try:
                answer = self._opener.open(request, timeout=timeout)
            except urllib.error.HTTPError as error:
                answer = error
            # The connection can be lost in the middle of every answer.
            with answer:
                text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise SluiceError(f"no answer from the service: {error}") from error
        if not 200 <= answer.status < 300:
            raise _error_of(answer.status, answer.headers, text)
        try:
            return answer.status, json.loads(text)
        except ValueError:
            raise SluiceError("the answer is not JSON: is this the base address of the service?", status=200) from None


def _segment(name):
    if name in ("", ".", ".."):
        raise ValueError(f'"{name}" cannot be sent as part of a path')
    return urllib.parse.quote(name, safe="")


def _error_of(status, headers, text):
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    body = body if isinstance(body, dict) else {}
    try:
        retry_after = float(headers.get("Retry-After", ""))
    except ValueError:
        retry_after = None
    return SluiceError(
        body.get("error") or body.get("message") or f"the service answered {status}",
        status=status,
        reason=headers.get("Sluice-Error"),
        code=body.get("code"),
        fields=body.get("errors"),
        retry_after=retry_after,
        request_id=headers.get("X-Request-Id"),
    )
