# A signal feed in twenty lines. Run: pip install websockets, then FEED_KEY=secret python examples/feed.py
# Then, in the admin area: endpoint ws://127.0.0.1:7071, API key "secret".
import asyncio, datetime, http, json, os, uuid
from websockets.asyncio.server import serve

KEY = "Bearer " + os.environ.get("FEED_KEY", "secret")

def refuse_strangers(connection, request):
    if request.headers.get("Authorization") != KEY:
        return connection.respond(http.HTTPStatus.UNAUTHORIZED, "Bring the key\n")

def observe():
    now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return {"id": str(uuid.uuid4()), "asset": "ETH/USDT", "anomalyType": "Funding flip", "confidence": 88.2, "regime": "Risk-off",
            "summary": "Funding turned from +0.010% to -0.021% on three venues.", "priority": "medium", "observedAt": now}

async def send_signals(socket):
    while True:
        await socket.send(json.dumps(observe()))
        await asyncio.sleep(60)

async def main():
    async with serve(send_signals, "127.0.0.1", 7071, process_request=refuse_strangers):
        await asyncio.get_running_loop().create_future()

asyncio.run(main())
