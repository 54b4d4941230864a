"""A bridge between a model's client on stdin and stdout and the tools of a server, which are at its `/mcp`.

All functions and limits are the server's. The bridge forwards each request in a session of the server, which is opened
again when it is lost, for example by a restart; then the player resumes with the code that `join` had returned.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.shared.exceptions import MCPError

from palio_clients.sdk.failures import ClientError, LinkLost

R = TypeVar("R")
Context = ServerRequestContext[Any, Any]

RETURN_S = 45.0  # to wait for a restarting server
PAUSE_S = 0.5  # between two attempts to reach it
READ_S = 120.0  # for an answer: longer than the longest wait on the server
REFUSED = -32050  # the code of a server's refusals that are not about one call
UNKNOWN = "unknown-session"  # from another server of several, or from a restarted one
GONE = ("server-stopping", UNKNOWN)  # refusals that end with a restart, or with a new session
LOST = ("Session terminated", "Session not found")


class Upstream:
    """A session with the server, and the task that owns it: the library needs both its ends in one task."""

    def __init__(self, address: str, token: str | None) -> None:
        self._address = address
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._client: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
        self._stop = asyncio.Event()
        self._task = asyncio.create_task(self._own(), name="upstream")
        self.lost = False

    async def client(self) -> Client:
        """Return the client.

        Raises LinkLost if no server is there, ClientError with the server's sentence if it refuses.
        """
        return await asyncio.shield(self._client)

    async def close(self) -> None:
        self._stop.set()
        await asyncio.wait({self._task})

    async def _own(self) -> None:
        try:
            await self._reach()
            timeout = httpx2.Timeout(30.0, read=READ_S)
            async with create_mcp_http_client(self._headers, timeout) as http:
                transport = streamable_http_client(self._address, http_client=http)
                async with Client(transport, mode="legacy", cache=None) as client:
                    self._client.set_result(client)
                    await self._stop.wait()
        except MCPError as error:
            self._fail(_failure(error))
        except ClientError as error:
            self._fail(error)
        except BaseException as error:  # noqa: BLE001  # the library raises any error in a group
            self._fail(LinkLost(f"the connection to {self._address} is lost: {error!r}"))
        finally:
            self.lost = True

    async def _reach(self) -> None:
        """Check that a server is there before the library connects: its errors come in groups, without a sentence."""
        try:
            async with httpx2.AsyncClient(headers=self._headers, timeout=10.0) as http:
                answer = await http.post(
                    self._address, json={}, headers={"accept": "application/json, text/event-stream"}
                )
        except (httpx2.HTTPError, OSError) as error:
            base = self._address.removesuffix("/mcp")
            cause = str(error) or type(error).__name__
            raise LinkLost(
                f"no server answers at {base} ({cause}); start one with `palio serve`, or name another URL"
            ) from None
        _check(self._address, answer)

    def _fail(self, error: ClientError) -> None:
        if not self._client.done():
            self._client.set_exception(error)
            self._client.exception()  # mark as retrieved


class Bridge:
    """A forwarder of requests, until its client has gone."""

    def __init__(self, address: str, token: str | None = None, name: str | None = None) -> None:
        """Prepare a bridge; `name`: the model's name unless it gives another one when it joins."""
        self._address, self._token, self._name = address, token, name
        self._upstream: Upstream | None = None
        self._connecting = asyncio.Lock()
        self._player = ""  # the code that `join` returned

    async def run(self) -> None:
        """Serve stdin and stdout. Raises ClientError if the server cannot be reached at the beginning."""
        logging.getLogger("mcp").setLevel(logging.CRITICAL)  # the bridge reports lost connections itself
        try:
            client = await self._connected()
            server = self._server(client)
            async with stdio_server() as (read, write):
                await server.run(read, write, server.create_initialization_options())
        finally:
            if self._upstream is not None:
                await self._upstream.close()

    def _server(self, client: Client) -> Server[Any]:
        info = client.server_info
        return Server(
            "palio" if info is None else info.name,
            version="" if info is None else info.version,
            title="Palio",
            instructions=client.instructions,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )

    # --- what is passed on --------------------------------------------------------------------------------------------

    async def _list_tools(self, _context: Context, _params: object) -> types.ListToolsResult:
        return await self._pass_on(lambda client: client.list_tools())

    async def _list_resources(self, _context: Context, _params: object) -> types.ListResourcesResult:
        return await self._pass_on(lambda client: client.list_resources())

    async def _list_templates(self, _context: Context, _params: object) -> types.ListResourceTemplatesResult:
        return await self._pass_on(lambda client: client.list_resource_templates())

    async def _list_prompts(self, _context: Context, _params: object) -> types.ListPromptsResult:
        return await self._pass_on(lambda client: client.list_prompts())

    async def _read_resource(
        self, _context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        return await self._pass_on(lambda client: client.read_resource(str(params.uri)))

    async def _get_prompt(self, _context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await self._pass_on(lambda client: client.get_prompt(params.name, params.arguments))

    async def _complete(self, _context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        argument = {"name": params.argument.name, "value": params.argument.value}
        return await self._pass_on(lambda client: client.complete(params.ref, argument))

    async def _call_tool(self, _context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        arguments = dict(params.arguments or {})
        if params.name == "join" and self._name and not arguments.keys() & {"name", "player"}:
            arguments["name"] = self._name
        try:
            answer = await self._pass_on(
                lambda client: client.session.call_tool(params.name, arguments), twice=params.name != "move"
            )
        except ClientError as error:
            return types.CallToolResult(content=[types.TextContent(type="text", text=str(error))], is_error=True)
        if not answer.is_error and isinstance(answer.structured_content, dict):
            if params.name == "join":
                self._player = str(answer.structured_content.get("player", ""))
            elif params.name == "leave":
                self._player = ""
        return answer

    # --- the session with the server ----------------------------------------------------------------------------------

    async def _pass_on(self, ask: Callable[[Client], Awaitable[R]], *, twice: bool = True) -> R:
        """Return the server's answer; the request is repeated after a loss, unless doing it `twice` would be wrong.

        Raises MCPError from the server, ClientError if it is away for too long.
        """
        for last in (not twice, True):
            client = await self._connected_patiently()
            try:
                return await ask(client)
            except MCPError as error:
                if not _is_loss(error):
                    if error.code == REFUSED:
                        raise _failure(error) from None
                    raise
                await self._drop()
                if last and error.message not in LOST and _code(error) != UNKNOWN:
                    reason = f"the connection was lost before there was an answer ({error.message})"
                    raise LinkLost(f"{reason}; call wait_for_turn or status to see how it stands") from None
        client = await self._connected_patiently()
        return await ask(client)

    async def _connected_patiently(self) -> Client:
        """Return the session, or a new one; wait for a server that restarts."""
        end = asyncio.get_running_loop().time() + RETURN_S
        while True:
            try:
                return await self._connected()
            except LinkLost:
                if asyncio.get_running_loop().time() + PAUSE_S > end:
                    raise
                await asyncio.sleep(PAUSE_S)

    async def _connected(self) -> Client:
        async with self._connecting:
            if self._upstream is not None and not self._upstream.lost:
                return await self._upstream.client()
            self._upstream = Upstream(self._address, self._token)
            client = await self._upstream.client()
            if self._player:
                with suppress(MCPError):  # the next caller gets the reason
                    await client.session.call_tool("join", {"player": self._player})
            return client

    async def _drop(self) -> None:
        upstream, self._upstream = self._upstream, None
        if upstream is not None:
            await upstream.close()


def _is_loss(error: MCPError) -> bool:
    """Return whether the server was gone, or does not know our session."""
    code = _code(error)
    return error.code == types.CONNECTION_CLOSED or error.message in LOST or code in GONE


def _code(error: MCPError) -> str | None:
    """Return the code of a refusal by the server."""
    return error.data.get("code") if isinstance(error.data, dict) else None


def _failure(error: MCPError) -> ClientError:
    code = _code(error)
    return (
        LinkLost(error.message) if code in GONE or error.code == types.CONNECTION_CLOSED else ClientError(error.message)
    )


def _check(address: str, answer: httpx2.Response) -> None:
    """Raise ClientError unless a server with tools answered an empty request."""
    try:
        fault = answer.json()["error"]
        code, message, data = fault["code"], str(fault.get("message", "")), fault.get("data") or {}
    except (ValueError, KeyError, TypeError):
        raise ClientError(f"{address} answers with HTTP {answer.status_code}; is it a palio server?") from None
    if not isinstance(code, int):
        raise ClientError(
            f"{address} has no tools for models: {fault.get('reason', message)}; is the server up to date?"
        )
    if code == REFUSED:
        raise LinkLost(message) if data.get("code") in GONE else ClientError(message)
