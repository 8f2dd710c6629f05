"""The official client for Python, both major versions: list, find, book, repeat the booking, move and cancel, over both transports."""

import asyncio
import datetime
import json
import os

import mcp
from mcp.client import stdio, streamable_http

BASE, KEY, BINARY = (os.environ[name] for name in ("BASE", "KEY", "BINARY"))
LINE = "2" if hasattr(mcp, "Client") else "1"


def day(later):
    date = datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=later)
    return (date + datetime.timedelta(days=date.weekday() == 6)).isoformat()


async def deal(client, name, later):
    async def call(tool, arguments):
        result = await client.call_tool(tool, arguments)
        is_error = getattr(result, "is_error", None) or getattr(result, "isError", None)
        assert not is_error, result
        return json.loads(result.content[0].text)

    assert len((await client.list_tools()).tools) == 16
    assert len((await client.list_prompts()).prompts) == 2
    business = await call("get_business", {})
    service = business["services"][0]["name"]
    staff = next(member["id"] for member in business["staff"] if service in member["services"])
    wanted = {"service": service, "staff": staff, "from": day(later)}
    open_times = (await call("find_open_times", wanted))["days"][0]
    first, second = (f"{open_times['date']}T{time}" for time in open_times["times"][:2])
    contact = {"name": name, "email": f"{name}@example.com"}
    booking = {"service": service, "staff": staff, "starts_at": first, "contact": contact}
    booked = await call("book_appointment", booking)
    again = await call("book_appointment", booking)
    assert (again["already_booked"], again["id"]) == (True, booked["id"])
    moved = await call(
        "reschedule_appointment",
        {"appointment_id": booked["id"], "expected_starts_at": first, "starts_at": second},
    )
    assert moved["local_start"] == second, moved
    cancelled = await call("cancel_appointment", {"appointment_id": booked["id"], "expected_starts_at": second})
    assert cancelled["status"] == "cancelled", cancelled
    print(f"ok: {name}")


def http_client():
    library = getattr(streamable_http, "httpx", None) or streamable_http.httpx2
    return library.AsyncClient(headers={"Authorization": f"Bearer {KEY}"})


def stdio_parameters():
    env = {"RECEPTIONIST_URL": BASE, "RECEPTIONIST_API_KEY": KEY}
    return mcp.StdioServerParameters(command=BINARY, args=["mcp"], env=env)


async def by_session(transport, name, later):
    async with transport as streams, mcp.ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        await deal(session, name, later)


async def main():
    async with http_client() as http:
        transport = streamable_http.streamable_http_client(f"{BASE}/mcp", http_client=http)
        await by_session(transport, f"python-{LINE}-http", 8)
    await by_session(stdio.stdio_client(stdio_parameters()), f"python-{LINE}-stdio", 9)
    if LINE == "2":
        async with http_client() as http:
            transport = streamable_http.streamable_http_client(f"{BASE}/mcp", http_client=http)
            async with mcp.Client(transport) as client:
                print(f"auto: {client.protocol_version}")
                await deal(client, "python-2-auto-http", 10)
        async with mcp.Client(stdio.stdio_client(stdio_parameters())) as client:
            print(f"auto: {client.protocol_version}")
            await deal(client, "python-2-auto-stdio", 11)


asyncio.run(main())
