"""A client that takes the next message for the answer to what it has sent."""
import asyncio
import json
import sys

import websockets


async def ask(ws, **request):
    await ws.send(json.dumps(request))
    return json.loads(await asyncio.wait_for(ws.recv(), 30))


async def main(uri):
    async with websockets.connect(uri) as ws:
        for i, extra in enumerate([{}, {"stream": False}, {"": False}]):
            r = await ask(ws, request_id=f"one{i}", input={"Text": "hi"}, use_tools=True, **extra)
            assert list(r) == ["request_id", "response", "error", "token_usage"], r
            assert list(r["response"]) == ["Text"] and r["response"]["Text"] and r["error"] is None, r
        r = await ask(ws, request_id="list", input="GetCommands", **{"": False, "use_tools": False})
        listing = json.loads(r["response"]["Text"])
        assert listing["count"] == len(listing["commands"]) > 7, listing
        r = await ask(ws, request_id="long", input={"Text": "x" * 900_000}, use_tools=False)
        assert r["request_id"] == "long" and r["error"] is None, r["error"]
        pong = await ws.ping()
        await asyncio.wait_for(pong, 10)
    print("ok")


asyncio.run(main(sys.argv[1]))
