"""Carries calls out by the official Python SDK; run by that SDK's Python.

Standard input is one JSON object: `calls`, and either `command` or `url` with `token`. Standard output is one JSON line
for what the server says of itself, then one for each result.
"""

import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

DEADLINE = 120.0


def server(wanted):
    if "command" in wanted:
        program, *arguments = wanted["command"]
        return StdioServerParameters(command=program, args=arguments)
    headers = {"Authorization": f"Bearer {wanted['token']}"}
    return streamable_http_client(wanted["url"], http_client=create_mcp_http_client(headers=headers))


def say(message):
    print(json.dumps(message, ensure_ascii=False), flush=True)


async def main():
    wanted = json.load(sys.stdin)
    async with Client(server(wanted), read_timeout_seconds=DEADLINE) as client:
        tools = (await client.list_tools()).tools
        say({"instructions": client.instructions or "", "tools": [tool.name for tool in tools]})
        for name, arguments in wanted["calls"]:
            result = await client.call_tool(name, arguments)
            say(result.model_dump(mode="json", by_alias=True, exclude_none=True))


asyncio.run(main())
