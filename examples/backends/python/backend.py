"""A game backend with Muster, in the standard library of Python 3.9 and later.

    MUSTER_URL=http://127.0.0.1:3000 MUSTER_SECRET=whsec_... python3 backend.py

It serves POST /play, which the game calls, and POST /webhooks, which Muster calls. MUSTER_TOKEN is a token for the
scope muster/backend, where the deployment has an issuer. PORT is 4000.
"""

import base64
import hashlib
import hmac
import json
import os
import threading
import time
import urllib.error
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

QUEUE = "duel"
MUSTER = os.environ["MUSTER_URL"]
TOKEN = os.environ.get("MUSTER_TOKEN")
KEY = base64.b64decode(os.environ["MUSTER_SECRET"].removeprefix("whsec_"))
TOLERANCE_SECONDS = 300
TRIES = 6


class Refused(Exception):
    """Muster has refused a request for good. `problem` is its document: title, detail, and a code with most 409."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem.get('code', '')} {problem.get('detail', '')}")
        self.status = status


def muster(method, path, body=None):
    """Sends a request until it is answered. Every request can be repeated: the ids are ours."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"}
    if TOKEN:
        headers["authorization"] = f"Bearer {TOKEN}"
    for attempt in range(TRIES):
        request = urllib.request.Request(MUSTER + path, data, headers, method=method)
        pause = 0.5 * 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.loads(response.read() or "null")
        except urllib.error.HTTPError as error:
            if error.code != 429 and error.code < 500:
                raise Refused(error.code, json.loads(error.read() or "{}")) from None
            pause = float(error.headers.get("retry-after", pause))
        except (urllib.error.URLError, TimeoutError):
            pass
        time.sleep(pause)
    raise ConnectionError(f"{method} {path}: no answer after {TRIES} tries")


def find_match(player_id):
    """A player presses "find match". A new ticketId for each search; the same one for a request that is repeated."""
    # The ladder of the queue has the skill. In a queue without a ladder: {"playerId": …, "skill": …}.
    ticket = {"ticketId": f"{player_id}-{uuid.uuid4()}", "players": [{"playerId": player_id}]}
    return muster("POST", f"/queues/{QUEUE}/tickets", ticket)


def verify(headers, body):
    """Whether Muster has sent a webhook, not long ago. `body` is as it was received, before any parsing."""
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    digest = hmac.new(KEY, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(expected, one) for one in headers.get("webhook-signature", "").split(" "))


class Servers:
    """The game servers, one for each match, however often it is asked for."""

    def __init__(self):
        self._ports = {}
        self._lock = threading.Lock()

    def of(self, match_id):
        with self._lock:
            port = self._ports.setdefault(match_id, 7000 + len(self._ports))
        return {"address": "203.0.113.7", "port": port}


servers = Servers()


def on_event(event):
    """Each step can be repeated. A webhook that comes late finds the match further on, which is a 409 and no fault."""
    match = event["data"].get("match")
    if match is None:
        print(f"{event['type']}: {event['data']['ticket']['ticketId']}")
        return
    match_id = match["matchId"]
    try:
        if event["type"] == "MatchFound":
            # These players are bots. A player answers for itself, with the token of its ticket.
            for team in match["teams"]:
                for player in team["players"]:
                    answer = {"accepted": True, "matchId": match_id}
                    muster("PUT", f"/tickets/{player['ticketId']}/acceptance", answer)
        elif event["type"] == "MatchAccepted":
            muster("PUT", f"/matches/{match_id}/assignment", servers.of(match_id))
        elif event["type"] == "MatchAssigned":
            play(match)
    except Refused as refused:
        if refused.status != 409:
            raise
        print(f"{event['type']} of {match_id} came late: {refused}")


def play(match):
    """Put your game here. This one is over at once, and the first team has won."""
    muster("POST", f"/matches/{match['matchId']}/result", {"ranks": [1, 2]})
    print(f"played {match['matchId']}", flush=True)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/play":
            return self.respond(201, find_match(json.loads(body)["playerId"]))
        if not verify(self.headers, body):
            return self.respond(401, None)
        # A status that is not 2xx makes Muster send it again.
        on_event(json.loads(body))
        return self.respond(204, None)

    def respond(self, status, body):
        data = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    address = ("127.0.0.1", int(os.environ.get("PORT", "4000")))
    server = ThreadingHTTPServer(address, Handler)
    print(f"listening on {server.server_port}", flush=True)
    server.serve_forever()
