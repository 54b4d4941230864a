/** Whoever is refused signs in; a tab that keeps a token does so by itself, but never again and again. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { noteAnswer, noteClosed, signIn, signInAgain, whenDenied } from "../../server/palio_server/web/lib/reading.js";
import { ApiError, keepToken, token } from "../../server/palio_server/web/lib/api.js";

let denied;
let asked;
let status;

beforeEach(() => {
  const kept = new Map();
  globalThis.sessionStorage = {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, value),
    removeItem: (name) => kept.delete(name),
  };
  denied = 0;
  asked = [];
  status = 201;
  whenDenied(() => (denied += 1));
  globalThis.fetch = async (path, { headers }) => {
    asked.push([path, headers.Authorization]);
    const body = status < 400 ? {} : { error: { code: "bad-token", reason: "this token is unknown" } };
    return { ok: status < 400, status, statusText: "", headers: new Map([["Content-Type", "application/json"]]), json: async () => body };
  };
});

test("a request and a socket that are refused for want of a token ask who reads, others do not", () => {
  for (const code of [200, 403, 404, 503]) noteAnswer(new ApiError("no", code));
  noteAnswer(new Error("no"));
  noteClosed(1008, "flood");
  noteClosed(1006, "token-missing");
  assert.equal(denied, 0);
  noteAnswer(new ApiError("no", 401));
  noteClosed(1008, "token-missing");
  noteClosed(1008, "token-revoked");
  assert.equal(denied, 3);
});

test("who signs in has the token kept, and a wrong one is not kept", async () => {
  await signIn("palio_abc");
  assert.deepEqual(asked, [["api/session", "Bearer palio_abc"]]);
  assert.equal(token(), "palio_abc");
  keepToken("");
  status = 401;
  await assert.rejects(signIn("palio_wrong"), { message: "this token is unknown" });
  assert.equal(token(), "");
});

test("a tab that keeps a token signs in by itself, once a minute at most", async () => {
  assert.equal(await signInAgain(1_000_000), false);
  keepToken("palio_abc");
  assert.equal(await signInAgain(1_000_000), true);
  assert.equal(await signInAgain(1_000_500), false);
  assert.equal(await signInAgain(1_061_000), true);
  status = 401;
  assert.equal(await signInAgain(2_000_000), false);
  assert.equal(asked.length, 3);
});
