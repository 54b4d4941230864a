/** The hall's screen on a virtual clock: what is shown, for how long, and that every wait ends. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { ASKED_MS, EMPTY, HERO_MS, LINGER_MS, RESULT_MS, SHOWN_MS, TURN_MS, arrange } from "../../server/palio_server/web/lib/wall.js";
import { UNSEEN, foldEnd, foldFeed } from "../../server/palio_server/web/lib/wall_feed.js";

const WISH = { boards: 4, pins: [], event: null, game: "", bot: "" };

const summary = (match, { ply = 0, over = false, game = "nim", bots = ["ann", "bob"], tournament = null, told = [] } = {}) => ({
  match,
  game,
  tournament,
  told,
  seats: bots.map((bot, seat) => ({ bot, name: `seat ${seat}` })),
  view: { ply },
  result: over ? { scores: [1, 0] } : null,
});

/** A hall: a feed, a wall and a clock, moved on together. */
class Hall {
  constructor(wish = {}, ...matches) {
    this.wish = { ...WISH, ...wish };
    this.now = 0;
    this.feed = foldFeed(null, { type: "lobby", seq: 0, matches: matches.map((match) => (typeof match === "string" ? summary(match) : match)) }, 0);
    this.wall = EMPTY;
    this.look();
  }

  tell(...summaries) {
    this.feed = foldFeed(this.feed, { type: "update", seq: this.feed.seq + 1, matches: summaries, leaderboards: [] }, this.now);
    return this.look();
  }

  end(...matches) {
    return this.tell(...matches.map((match) => summary(match, { over: true })));
  }

  wait(ms, step = 250) {
    for (const until = this.now + ms; this.now < until; ) {
      this.now = Math.min(until, this.now + step);
      this.look();
    }
    return this;
  }

  look(known) {
    this.wall = arrange(this.wall, this.feed, this.wish, this.now, known);
    return this;
  }

  get hero() {
    return this.wall.hero?.entry.summary.match ?? null;
  }

  get cards() {
    return this.wall.slots.map((card) => card?.entry.summary.match ?? null);
  }
}

test("one match is large and has no small card; nothing is nothing", () => {
  assert.deepEqual([new Hall({}, "a").hero, new Hall({}, "a").cards], ["a", [null, null, null, null]]);
  assert.equal(new Hall().hero, null);
});

test("a large match stays in mid-game, whatever happens elsewhere", () => {
  const hall = new Hall({}, "a", "b", "c");
  hall.tell(summary("b", { told: [900_000, -5] })).wait(600_000);
  assert.equal(hall.hero, "a");
});

test("a large result is there to see before the next match takes its place, and then stands small", () => {
  const hall = new Hall({}, "a", "b", "c").end("a").wait(HERO_MS - 250);
  assert.equal(hall.hero, "a");
  hall.wait(250);
  assert.deepEqual([hall.hero, hall.cards], ["b", ["a", "c", null, null]]);
});

test("a large result that stands small now is still seen, though somebody waits", () => {
  const hall = new Hall({ boards: 1 }, "a", "b", "c").end("a").wait(HERO_MS);
  assert.deepEqual([hall.hero, hall.cards, hall.wall.waiting], ["b", ["a"], 1]);
  assert.deepEqual(hall.wait(SHOWN_MS - 250).cards, ["a"]);
  assert.deepEqual(hall.wait(250).cards, ["c"]);
});

test("the next large match is the most interesting one, and the sentence says why", () => {
  const hall = new Hall({}, "a", "b", "c").tell(summary("c", { told: [900_000, -1] })).end("a").wait(HERO_MS);
  assert.deepEqual([hall.hero, hall.wall.hero.why], ["c", "Shown because ann has proven a win."]);
});

test("the last result stays when there is nothing else to look at", () => {
  const hall = new Hall({}, "a").end("a").wait(600_000);
  assert.equal(hall.hero, "a");
  assert.equal(hall.tell(summary("b")).hero, "b", "its result has been seen long ago");
});

test("a small result keeps its place until it has been seen, then the next in line has it", () => {
  const hall = new Hall({ boards: 2 }, "a", "b", "c").wait(SHOWN_MS).end("b").tell(summary("d"));
  hall.wait(RESULT_MS - 250);
  assert.deepEqual(hall.cards, ["b", "c"]);
  assert.deepEqual(hall.wait(250).cards, ["d", "c"]);
});

test("a result that nobody wants the place of goes in the end", () => {
  const hall = new Hall({}, "a", "b", "c").end("b").wait(LINGER_MS - 250);
  assert.deepEqual(hall.cards, ["b", "c", null, null]);
  assert.deepEqual(hall.wait(250).cards, [null, "c", null, null]);
});

test("a match that was over before there was a place for it is shown with its result", () => {
  const hall = new Hall({ boards: 1 }, "a", "b");
  hall.tell(summary("quick", { over: true })).end("b").wait(RESULT_MS);
  assert.deepEqual([hall.cards, hall.wall.slots[0].over], [["quick"], hall.now]);
});

test("who waits comes by turns, pins stay", () => {
  const hall = new Hall({ boards: 2, pins: ["a", "b"] }, "a", "b", "c", "d", "e");
  assert.deepEqual([hall.hero, hall.cards, hall.wall.waiting, hall.wall.turn], ["a", ["b", "c"], 2, TURN_MS]);
  const seen = [];
  for (let turn = 0; turn < 4; turn += 1) seen.push(hall.wait(TURN_MS).cards.join(""));
  assert.deepEqual(seen, ["bd", "be", "bc", "bd"]);
});

test("a pin changes the large match in mid-game, and the two change places", () => {
  const hall = new Hall({}, "a", "b", "c");
  hall.wish = { ...hall.wish, pins: ["c"] };
  assert.deepEqual([hall.look().hero, hall.cards], ["c", ["b", "a", null, null]]);
  hall.end("c").wait(HERO_MS);
  assert.equal(hall.hero, "a", "a pinned match is left when its result has been seen");
});

test("next goes through all matches before it comes back", () => {
  const hall = new Hall({}, "a", "b", "c");
  const seen = [hall.hero];
  for (let turn = 0; turn < 3; turn += 1) {
    hall.wish = { ...hall.wish, next: true };
    seen.push(hall.look().hero);
    hall.wish = { ...hall.wish, next: false };
    hall.wait(1000);
  }
  assert.deepEqual(seen, ["a", "b", "c", "a"]);
});

test("an event, a game or a bot leaves only what belongs to it; a pin all the same", () => {
  const matches = [
    summary("a", { game: "chess", tournament: 7 }),
    summary("b", { game: "nim", tournament: 7 }),
    summary("c", { game: "nim", bots: ["ann", "zoe"] }),
  ];
  const shown = (wish) => {
    const hall = new Hall(wish, ...matches);
    return [hall.hero, ...hall.cards].filter(Boolean);
  };
  assert.deepEqual(shown({ event: 7 }), ["a", "b"]);
  assert.deepEqual(shown({ game: "nim" }), ["b", "c"]);
  assert.deepEqual(shown({ bot: "zoe" }), ["c"]);
  assert.deepEqual(shown({ event: 7, pins: ["c"] }), ["c", "a", "b"]);
});

test("a match that the server knows no more of makes room; one that is back goes on", () => {
  const hall = new Hall({}, "a", "b", "c");
  hall.feed = foldFeed(hall.feed, { type: "lobby", seq: 0, matches: [summary("b"), summary("c"), summary("d")] }, hall.now);
  assert.equal(hall.wait(ASKED_MS + 250).hero, "b", "the large one first: nobody knows how it stands");
  assert.deepEqual(hall.cards, [null, "c", "d", null]);
  hall.wait(SHOWN_MS);
  hall.feed = foldFeed(hall.feed, { type: "lobby", seq: 0, matches: [summary("b"), summary("d")] }, hall.now);
  assert.deepEqual(hall.wait(ASKED_MS - 250).cards, [null, "c", "d", null], "a card is not gone before it has been asked for");
  assert.deepEqual(hall.wait(500).cards, [null, null, "d", null]);
});

test("a match that is gone may still say how it ended, and is then seen as long as any other", () => {
  const hall = new Hall({}, "a", "b");
  assert.equal(hall.hero, "a");
  hall.wait(SHOWN_MS);
  hall.feed = foldFeed(hall.feed, { type: "lobby", seq: 0, matches: [summary("b")] }, hall.now);
  hall.wait(ASKED_MS - 250);
  assert.equal(hall.hero, "a", "it is asked how it ended");
  hall.feed = foldEnd(hall.feed, summary("a", { over: true }), hall.now);
  hall.look();
  assert.deepEqual([hall.wall.hero.gone, hall.wall.hero.over], [Infinity, hall.now]);
  assert.equal(hall.wait(HERO_MS - 250).hero, "a");
  assert.equal(hall.wait(500).hero, "b");
});

test("a match that is gone and says nothing makes room for the next", () => {
  const hall = new Hall({}, "a", "b");
  hall.feed = foldFeed(hall.feed, { type: "lobby", seq: 0, matches: [summary("b")] }, hall.now);
  assert.equal(hall.wait(ASKED_MS - 250).hero, "a");
  assert.equal(hall.wait(500).hero, "b");
});

test("fewer boards leave the first ones where they are", () => {
  const hall = new Hall({}, "a", "b", "c", "d", "e");
  hall.wish = { ...hall.wish, boards: 2 };
  assert.deepEqual(hall.look().cards, ["b", "d"], "the left column");
  hall.wish = { ...hall.wish, boards: 0 };
  assert.deepEqual([hall.look().cards, hall.hero], [[], "a"]);
});

/** Numbers by chance, the same for the same seed (mulberry32). */
function chance(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Matches that begin and end by chance: some take minutes, some are over before anybody looks. */
function* story(random, { beginnings, seconds }) {
  const running = new Map();
  let number = 0;
  for (let second = 0; second < 4 * seconds; second += 1) {
    const told = [];
    while (random() < beginnings && running.size < 60) {
      number += 1;
      running.set(`m${number}`, second + 1 + Math.floor(random() ** 3 * 240));
    }
    for (const [match, end] of running) {
      if (end <= second) running.delete(match);
      if (end <= second || random() < 0.7) told.push(summary(match, { ply: second, over: end <= second }));
    }
    yield { told, running: new Set(running.keys()) };
  }
}

/** A bound for how long a match waits that runs on: all before it, each for its turn, in so many places. */
const patience = (boards) => ((60 + UNSEEN) / boards + 2) * TURN_MS;

for (let seed = 1; seed <= 40; seed += 1) {
  test(`nobody is cut short, moved, forgotten or left out (story ${seed})`, () => {
    const random = chance(seed);
    const boards = 1 + Math.floor(random() * 16);
    const hall = new Hall({ boards });
    /** @type {Map<string, {since: number, place: number, over: number}>} */
    let shown = new Map();
    const waited = new Map();
    for (const { told, running } of story(random, { beginnings: random() * 0.6, seconds: 400 })) {
      hall.now += 250;
      hall.tell(...told);
      const places = [[hall.hero, -1], ...hall.cards.map((match, place) => [match, place])].filter(([match]) => match !== null);
      assert.equal(new Set(places.map(([match]) => match)).size, places.length, "a match is shown twice");
      assert.ok(hall.cards.length <= boards, "there are more cards than boards");
      const now = new Map();
      for (const [match, place] of places) {
        const card = place < 0 ? hall.wall.hero : hall.wall.slots[place];
        const before = shown.get(match);
        if (before && before.place !== place) assert.ok(before.place < 0 || place < 0, `${match} changes its place`);
        now.set(match, { since: before?.since ?? hall.now, place, over: card.over, began: before?.place === place ? before.began : hall.now });
        if (!running.has(match)) assert.ok(card.over <= hall.now, `${match} ended and does not say so`);
      }
      for (const [match, { since, place, over, began }] of shown) {
        if (now.has(match)) continue;
        assert.ok(hall.now - since >= SHOWN_MS, `${match} was shown for ${hall.now - since} ms only`);
        if (place >= 0 && over < Infinity && began <= over) assert.ok(hall.now - over >= RESULT_MS, `the result of ${match} was cut short`);
        if (place < 0) assert.ok(hall.now - over >= HERO_MS, `the large ${match} was cut short`);
        assert.ok(running.has(match) === (over === Infinity), `${match} left without its result`);
      }
      for (const match of running) waited.set(match, now.has(match) ? 0 : (waited.get(match) ?? 0) + 250);
      for (const [match, ms] of waited) {
        if (!running.has(match)) waited.delete(match);
        else assert.ok(ms <= patience(boards), `${match} waits for ${ms} ms with ${boards} boards`);
      }
      shown = now;
    }
  });
}

test("after two thousand matches nothing of them is kept but the last few", () => {
  const hall = new Hall({ boards: 16 });
  for (let number = 0; number < 2000; number += 1) {
    hall.tell(summary(`m${number}`, { told: [number, -number] }));
    hall.now += 250;
    if (number >= 3) hall.end(`m${number - 3}`);
  }
  assert.ok(hall.feed.matches.size <= UNSEEN + 3, `${hall.feed.matches.size} matches`);
  assert.ok(hall.feed.ended.length <= 24);
  for (const kept of [hall.wall.left, hall.wall.done, hall.wall.passed]) assert.ok(kept.size <= UNSEEN + 3, `${kept.size} names`);
});
