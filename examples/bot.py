# Example bot. Needs only an API key and Python 3.9. Reads alerts, verifies that one of them is in
# the anchored log, and streams new alerts, with resume after a reconnect. Create a key with all
# scopes in Settings, API keys.
# Run: TOCSIN_URL=http://localhost:3000 TOCSIN_KEY=tocsin_... python3 examples/bot.py
import base64, hashlib, json, os, socket, ssl, sys, time, urllib.error, urllib.parse, urllib.request

URL = os.environ.get("TOCSIN_URL", "http://localhost:3000")
KEY = {"Authorization": "Bearer " + os.environ.get("TOCSIN_KEY", "")}
CURSOR_FILE = os.environ.get("CURSOR_FILE", "bot-cursor.json")

def read(path):
    try:
        with urllib.request.urlopen(urllib.request.Request(URL + path, headers=KEY)) as response:
            return json.load(response)
    except urllib.error.HTTPError as error:  # 429 says in Retry-After how many seconds to wait
        sys.exit(f"{error.code} {error.read().decode()}")

def canonical_bytes(alert):
    """The logged bytes of an alert: RFC 8785, docs/log-format.md chapter 2."""
    names = ["anomalyType", "asset", "confidence", "createdAt", "id", "kind", "origin", "priority", "regime",
             "salt", "signalHash", "signer", "summary"]
    if alert["kind"] != "alert":
        names += ["targetIndex", "targetLeafHash"]
    entry = {name: alert[name] for name in names if name in alert}
    entry.update(index=alert["logIndex"], v=2 if alert.get("salt") else 1)
    return json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()

def root_of(leaf, index, size, path):
    """The root that an inclusion proof leads to: RFC 9162, 2.1.3.2."""
    last, node = size - 1, leaf
    for sibling in path:
        if index % 2 == 1 or index == last:
            node = hashlib.sha256(b"\x01" + sibling + node).digest()
            while index % 2 == 0 and index != 0:
                index, last = index // 2, last // 2
        else:
            node = hashlib.sha256(b"\x01" + node + sibling).digest()
        index, last = index // 2, last // 2
    return node if last == 0 else None

def verify(alert_id):
    """Compares the root with that in the anchor transaction. @tocsin/client/proof also checks the signature."""
    bundle = read(f"/api/alerts/{alert_id}/bundle")
    alert, anchor = bundle["alert"], bundle["anchor"]
    leaf = hashlib.sha256(b"\x00" + canonical_bytes(alert)).digest()
    path = [bytes.fromhex(each[2:]) for each in alert["merklePath"]]
    root = root_of(leaf, alert["logIndex"], alert["treeSize"], path)
    ask = {"jsonrpc": "2.0", "id": 1, "method": "eth_getTransactionReceipt", "params": [alert["avalancheTx"]]}
    node = urllib.request.Request(os.environ.get("NODE_URL", anchor["rpcUrl"] or ""), json.dumps(ask).encode(),
                                  {"Content-Type": "application/json"})
    with urllib.request.urlopen(node) as response:
        logs = json.load(response)["result"]["logs"]
    contract = os.environ.get("ANCHOR_CONTRACT", anchor["contract"]).lower()
    roots = [log["data"][2:66] for log in logs if log["address"].lower() == contract]
    print("proof of", alert["logIndex"], "verified" if root and root.hex() in roots else "failed", flush=True)

class Socket:
    """Minimal WebSocket client (RFC 6455), sufficient for the alert stream."""
    def __init__(self, url):
        parts = urllib.parse.urlsplit(url)
        is_secure = parts.scheme == "https"
        self.raw = socket.create_connection((parts.hostname, parts.port or (443 if is_secure else 80)), 45)
        if is_secure:
            self.raw = ssl.create_default_context().wrap_socket(self.raw, server_hostname=parts.hostname)
        lines = [f"GET {parts.path}/ws HTTP/1.1", f"Host: {parts.netloc}", "Connection: Upgrade", "Upgrade: websocket",
                 "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
        lines += [f"{name}: {value}" for name, value in KEY.items()]
        self.raw.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.file = self.raw.makefile("rb")
        status = self.file.readline().decode()
        while self.file.readline().strip():
            pass
        if " 401 " in status or " 403 " in status:
            raise PermissionError(status.strip())
        if " 101 " not in status:
            raise OSError(status.strip())

    def send(self, payload, opcode=1):
        mask = os.urandom(4)
        length = bytes([0x80 | len(payload)]) if len(payload) < 126 else bytes([0xFE]) + len(payload).to_bytes(2, "big")
        masked = bytes(byte ^ mask[at % 4] for at, byte in enumerate(payload))
        self.raw.sendall(bytes([0x80 | opcode]) + length + mask + masked)

    def exactly(self, size):
        """Reads the bytes. The connection may end inside a message."""
        data = self.file.read(size)
        if len(data) < size:
            raise OSError("it ended inside a message")
        return data

    def messages(self):
        text = b""
        while True:
            head = self.file.read(2)
            if len(head) < 2 or head[0] & 15 == 8:
                return
            size = head[1] & 127
            if size > 125:
                size = int.from_bytes(self.exactly(2 if size == 126 else 8), "big")
            payload = self.exactly(size)
            if head[0] & 15 == 9:
                self.send(payload, 10)
            elif head[0] & 15 < 3:
                text += payload
                if head[0] & 128:
                    yield json.loads(text)
                    text = b""

def stream():
    try:
        with open(CURSOR_FILE) as file:
            cursor = json.load(file)
    except FileNotFoundError:
        cursor = {}
    socket_ = Socket(URL)
    socket_.send(json.dumps({"type": "auth_key", "proofs": "compact", **cursor}).encode())
    for message in socket_.messages():
        if message["type"] == "authentication_failed":
            sys.exit("refused: " + message["message"])
        if message["type"] == "live":
            cursor["logId"] = message["logId"]
            if not message["recovered"]:
                # The index may be of another log, so the cursor may move back.
                cursor.pop("lastIndex", None)
                print("some missed alerts were not sent: read the list of alerts", flush=True)
            if message["lastIndex"] is not None:
                cursor["lastIndex"] = max(message["lastIndex"], cursor.get("lastIndex", 0))
            print("live", flush=True)
        elif message["type"] == "alert_proof":
            print("anchored", message["logIndex"], message["avalancheTx"], flush=True)
            continue
        elif message["type"] == "new_alert":
            alert = message["alert"]
            if message.get("isUpdate"):
                # An outcome of an earlier alert.
                continue
            print("new", alert["logIndex"], alert["asset"], alert["summary"], flush=True)
            cursor["lastIndex"] = max(alert["logIndex"], cursor.get("lastIndex", 0))
        else:
            continue
        with open(CURSOR_FILE, "w") as file:
            json.dump(cursor, file)

if __name__ == "__main__":
    # Without a plan, fresh alerts are locked rows, which have no content.
    items = [item for item in read("/api/alerts/recent?limit=20") if not item.get("locked")]
    for item in items:
        print("read", item["logIndex"], item["priority"], item["asset"], item["summary"], flush=True)
    for item in [item for item in items if item["avalancheTx"]][:1]:
        verify(item["id"])
    while True:
        try:
            stream()
        except PermissionError as error:
            sys.exit(f"refused: {error}")
        except OSError as error:
            print("connection lost:", error, file=sys.stderr)
        time.sleep(5)
