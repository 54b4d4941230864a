// Starts a match between two bots that are connected, by a client for the types that openapi-typescript has made of the
// server's description, and waits for its end.
//
//   node match.mjs URL GAME BOT BOT
//
// On stdout: the match, as the server describes it.

import createClient from "openapi-fetch";

const [url, game, ...bots] = process.argv.slice(2);
/** @type {import("openapi-fetch").Client<import("./made/palio.d.ts").paths>} */
const palio = createClient({ baseUrl: url });

const { data: begun, error } = await palio.POST("/api/matches", { body: { game, bots } });
if (error) throw new Error(error.error.reason);
for (;;) {
  const { data: match } = await palio.GET("/api/matches/{match}", { params: { path: { match: begun.id } } });
  if (match?.status === "finished") {
    console.log(JSON.stringify(match));
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
}
