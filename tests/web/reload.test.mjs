/** What has changed is loaded again: at once, but not too often, and never two at a time. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Reload } from "../../server/palio_server/web/lib/reload.js";

/** A clock that stands still until it is told to go on, and loads that end when they are told to. */
function stage() {
  const timers = new Map();
  const loads = [];
  let time = 0;
  const after = (action, ms) => {
    timers.set(timers.size + loads.length * 1000 + 1, [time + ms, action]);
    return [...timers.keys()].at(-1);
  };
  const pass = async (ms) => {
    time += ms;
    for (const [id, [at, action]] of [...timers]) {
      if (at <= time) {
        timers.delete(id);
        action();
      }
    }
    await null;
  };
  const load = () => new Promise((resolve) => loads.push(resolve));
  const reload = new Reload(load, 1000, { now: () => time, after, cancel: (id) => timers.delete(id) });
  const answer = async () => {
    loads.at(-1)();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { reload, loads, pass, answer };
}

test("the first load begins at once", async () => {
  const { reload, loads, pass } = stage();
  reload.ask();
  await pass(0);
  assert.equal(loads.length, 1);
});

test("what changes while it is loaded is loaded again, and the first answer still counts", async () => {
  const { reload, loads, pass, answer } = stage();
  reload.ask();
  await pass(0);
  reload.ask();
  reload.ask();
  await pass(5000);
  assert.equal(loads.length, 1, "never two at a time");
  await answer();
  await pass(0);
  assert.equal(loads.length, 2);
  await answer();
  await pass(5000);
  assert.equal(loads.length, 2, "nothing has changed since");
});

test("many changes are one load a second", async () => {
  const { reload, loads, pass, answer } = stage();
  reload.ask();
  await pass(0);
  await answer();
  for (let i = 0; i < 9; i += 1) {
    reload.ask();
    await pass(100);
  }
  assert.equal(loads.length, 1);
  await pass(100);
  assert.equal(loads.length, 2);
});

test("who has stopped loads no more", async () => {
  const { reload, loads, pass, answer } = stage();
  reload.ask();
  await pass(0);
  reload.ask();
  reload.stop();
  await answer();
  await pass(5000);
  assert.equal(loads.length, 1);
});
