// A model's client of the official TypeScript library. It reads which tools there are, and from then on holds what they
// answer to their schemas. It tries each tool with what is wrong, then plays a game with the first legal move.
//
//   node model.mjs http URL
//   node model.mjs stdio COMMAND ARGUMENT...
//
// On stdout: {"refused": [{tool, sentence}, ...], "answered": [tool, ...], "end": what the last move has told}.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const WRONG = [{ no_such: 1 }, { match: "m1" }, { match: 7 }, { move: "a1" }, { name: "a b" }, { games: ["shogi"] }];

const [way, where, ...more] = process.argv.slice(2);
const client = new Client({ name: "palio-tests", version: "1.0.0" });
await client.connect(
  way === "http"
    ? new StreamableHTTPClientTransport(new URL(where))
    : new StdioClientTransport({ command: where, args: more, env: process.env }),
);

async function call(name, args) {
  const answer = await client.callTool({ name, arguments: args });
  if (answer.isError) throw new Error(answer.content[0].text);
  return answer.structuredContent;
}

const refused = [];
const answered = [];
const { tools } = await client.listTools();
for (const { name } of tools) {
  for (const args of WRONG) {
    const answer = await client.callTool({ name, arguments: args });
    if (answer.isError) refused.push({ tool: name, sentence: answer.content[0].text });
    else answered.push(name);
  }
}

const { player } = await call("join", { name: "typescript", games: ["dominoes"], play_against: ["random"] });
let view = await call("wait_for_turn", { player });
while (view.state !== "over") {
  if (view.state === "your_turn") {
    const [move] = view.legal_moves;
    view = (await call("move", { player, move, turn: view.turn, wait_s: 20 })).next;
  }
  if (view.state === "nothing_yet") view = await call("wait_for_turn", { player });
}
await client.close();
console.log(JSON.stringify({ refused, answered, tools: tools.map((tool) => tool.name), end: view }));
