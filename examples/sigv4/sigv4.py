"""Signs a request with AWS credentials (Signature Version 4), in the standard library of Python 3.9 and later.

    AWS_REGION=us-east-1 python3 sigv4.py GET https://…/queues

Prints the headers for METHOD URL [BODY], with the credentials of AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, if they
are temporary, AWS_SESSION_TOKEN.
"""

import hashlib
import hmac
import os
import sys
import time
from urllib.parse import parse_qsl, quote, urlsplit


def sign(method, url, body, region, key_id, secret, token=None):
    """The headers to add to a request. They are valid for five minutes, so sign each try again."""
    parts = urlsplit(url)
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    headers = {"host": parts.netloc, "x-amz-date": stamp}
    if token:
        headers["x-amz-security-token"] = token
    # The path is encoded a second time. Names and values of the query are encoded, then sorted.
    path = quote(parts.path or "/", safe="/-_.~")
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    query = "&".join("=".join(pair) for pair in sorted((quote(k, safe="-_.~"), quote(v, safe="-_.~")) for k, v in pairs))
    names = ";".join(sorted(headers))
    lines = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join([method, path, query, lines, names, hashlib.sha256(body).hexdigest()])
    scope = f"{stamp[:8]}/{region}/execute-api/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = ("AWS4" + secret).encode()
    for part in scope.split("/"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    del headers["host"]  # Every client sends it.
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={key_id}/{scope}, SignedHeaders={names}, Signature={signature}"
    )
    return headers


if __name__ == "__main__":
    method, url, body = (sys.argv[1:] + [""])[:3]
    env = os.environ
    keys = env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"], env.get("AWS_SESSION_TOKEN")
    for name, value in sign(method, url, body.encode(), env["AWS_REGION"], *keys).items():
        print(f"{name}: {value}")
