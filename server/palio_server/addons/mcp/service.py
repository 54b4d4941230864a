"""The conversation by the Model Context Protocol, with the library `mcp`: sessions, versions, cancelled calls.

Both kinds of clients are served: those that open a session by `initialize` (versions to 2025-11-25), and those that say
with each request which version it is (2026-07-28). Imported when the first client comes.
"""

import asyncio
import logging
from importlib.metadata import version
from typing import Any

import mcp_types as types
import msgspec
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from palio_db.errors import StoreError
from palio_rules.errors import BadOption, nearest, quoted
from palio_rules.registry import games as installed_games
from palio_server.addons.mcp import joining_tools, playing_tools, reading_tools
from palio_server.addons.mcp.players import Players
from palio_server.addons.mcp.sessions import IDLE_S, MOST
from palio_server.addons.mcp.tools import Caller, Refusal, Tool, ToolFailed
from palio_server.api.answers import ApiError
from palio_server.api.identity import address_of, bearer
from palio_server.app_state import ServerParts
from palio_server.edge.budgets import TooMuch
from palio_server.lobby.access import AccessDenied
from palio_server.lobby.lobby import LobbyError

SESSION = "mcp-session-id"  # the header by which a session is known
MAX_BODY = 256 * 1024  # bytes of a request
CALLS, CALLS_OF_ADDRESS = 16, 128  # that are answered at once: of a session or token, of an address without any
COMPLETIONS = 100  # that are given at once, as the protocol allows

TOOLS: dict[str, Tool] = {**reading_tools.toolbox.tools, **joining_tools.toolbox.tools, **playing_tools.toolbox.tools}

# Sentences for the caller of a tool; anything else is our mistake.
_REFUSALS = (ToolFailed, Refusal, BadOption, AccessDenied, LobbyError, TooMuch, ApiError, StoreError)

log = logging.getLogger(__name__)

Context = ServerRequestContext[Any, Request]


class Service:
    """Answers requests to `/mcp` for as long as it is open."""

    def __init__(self, parts: ServerParts, players: Players) -> None:
        self._parts, self._players = parts, players
        self._calls: dict[str, int] = {}
        self._stop = asyncio.Event()
        server: Server[Any] = Server(
            "palio",
            version=version("palio"),
            title="Palio",
            instructions=reading_tools.INSTRUCTIONS,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
        )
        self._manager = StreamableHTTPSessionManager(
            server, session_idle_timeout=IDLE_S, max_request_body_size=MAX_BODY, max_sessions=MOST
        )
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        ready = asyncio.Event()
        self._task = asyncio.create_task(self._run(ready), name="mcp")
        await ready.wait()

    async def close(self) -> None:
        """End all sessions and waiting calls."""
        self._stop.set()
        if self._task is not None:
            await self._task

    async def _run(self, ready: asyncio.Event) -> None:
        async with self._manager.run():
            ready.set()
            await self._stop.wait()

    async def answer(self, scope: Scope, receive: Receive, send: Send, token: int | None) -> None:
        """Answer one request, whose token has this number: a session belongs to the token that has opened it."""
        if token is not None:
            scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=str(token), scopes=[]))
        await self._manager.handle_request(scope, receive, send)

    @staticmethod
    def opens_session(request: Request) -> bool:
        """Return whether the library will make a session for the request, if that is what it should be."""
        said = request.headers.get("mcp-protocol-version")
        return (
            request.method == "POST" and SESSION not in request.headers and said in (None, *HANDSHAKE_PROTOCOL_VERSIONS)
        )

    # --- tools --------------------------------------------------------------------------------------------------------

    async def _list_tools(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(tool) for tool in TOOLS.values()])

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(
                types.INVALID_PARAMS, f"unknown tool {quoted(params.name[:80])}; {nearest(params.name, TOOLS)}"
            )
        caller = self._caller(context)
        asker = caller.owner or f"address {caller.address}"
        self._calls[asker] = self._calls.get(asker, 0) + 1
        try:
            self._check_calls(asker, CALLS if caller.owner else CALLS_OF_ADDRESS)
            found = await tool.run(caller, tool.read(params.arguments))
        except _REFUSALS as error:
            return _failed(error)
        except Exception:
            log.exception("the tool %s failed", tool.name)
            return _failed(ToolFailed("the server made a mistake; its log has the details"))
        finally:
            self._calls[asker] -= 1
            if not self._calls[asker]:
                del self._calls[asker]
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=found.text)]
        return types.CallToolResult(content=content, structured_content=msgspec.to_builtins(found.value))

    def _check_calls(self, asker: str, most: int) -> None:
        if self._calls[asker] > most:
            raise TooMuch("too-many-calls", f"{most} calls of yours are being answered; wait for one", 1)

    def _caller(self, context: Context) -> Caller:
        request = context.request
        assert request is not None  # there is no other transport here
        session = request.headers.get(SESSION)
        user = request.scope.get("user")
        token = f"token {user.access_token.client_id}" if isinstance(user, AuthenticatedUser) else ""
        owner = token if session is None else owner_of(session)
        return Caller(request, self._parts, self._players, owner, bearer(request), address_of(request))

    # --- resources ----------------------------------------------------------------------------------------------------

    async def _list_resources(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        pages = [
            types.Resource(uri=page.uri, name=page.name, description=page.line, mime_type=page.mime)
            for page in reading_tools.pages()
        ]
        return types.ListResourcesResult(resources=pages)

    async def _list_templates(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        templates = [
            types.ResourceTemplate(uri_template=uri, name=name, description=line, mime_type=mime)
            for uri, (name, line, mime) in reading_tools.TEMPLATES.items()
        ]
        return types.ListResourceTemplatesResult(resource_templates=templates)

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        uri = str(params.uri)
        try:
            mime, text = await reading_tools.read_page(self._caller(context), uri)
        except _REFUSALS as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=mime, text=text)])

    # --- prompts ------------------------------------------------------------------------------------------------------

    async def _list_prompts(
        self, _context: Context, _params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        arguments = [
            types.PromptArgument(name=name, description=line, required=False)
            for name, line in reading_tools.PROMPT_ARGUMENTS.items()
        ]
        line = "Play one game on this server to its end"
        return types.ListPromptsResult(
            prompts=[types.Prompt(name=reading_tools.PROMPT, description=line, arguments=arguments)]
        )

    async def _get_prompt(self, _context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name != reading_tools.PROMPT:
            reason = f"unknown prompt {quoted(params.name[:80])}; {nearest(params.name, [reading_tools.PROMPT])}"
            raise MCPError(types.INVALID_PARAMS, reason)
        try:
            text = reading_tools.prompt_text(params.arguments or {})
        except BadOption as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None
        said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
        return types.GetPromptResult(messages=[said])

    async def _complete(self, _context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        """Names of games, which prompts and addresses have a place for."""
        known = installed_games() if params.argument.name == "game" else ()
        found = [name for name in known if name.startswith(params.argument.value)]
        completion = types.Completion(values=found[:COMPLETIONS], total=len(found), has_more=len(found) > COMPLETIONS)
        return types.CompleteResult(completion=completion)


def owner_of(session: str) -> str:
    """By which a session's player is found."""
    return f"session {session}"


def _tool(tool: Tool) -> types.Tool:
    hints = types.ToolAnnotations(
        title=tool.title,
        read_only_hint=tool.reads,
        destructive_hint=tool.destroys,
        idempotent_hint=tool.repeats,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.description,
        input_schema=tool.input_schema,
        output_schema=tool.output_schema,
        annotations=hints,
    )


def _failed(error: Exception) -> types.CallToolResult:
    """Return the sentence, and the same with its code as JSON in a text of its own.

    Clients hold structured content to the tool's output schema, errors too: with some beside an error the official
    TypeScript client raises an exception, and the model never reads the sentence.
    """
    reason = str(error)
    retry_s = getattr(error, "retry_s", 0)
    if retry_s and "try again in" not in reason:
        reason = f"{reason}; try again in {retry_s} s"
    fault: dict[str, Any] = {"code": getattr(error, "code", "failed"), "reason": reason}
    if isinstance(error, ToolFailed):
        fault |= error.more
    if retry_s:
        fault["retry_s"] = retry_s
    reading_tools = (reason, msgspec.json.encode({"error": fault}).decode())
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=text) for text in reading_tools]
    return types.CallToolResult(content=content, is_error=True)
