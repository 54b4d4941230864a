// Written by tools/web/wire_types.py from the structs that write the JSON; do not edit.

export interface Absent {
  type: "absent";
  seq: number;
  match: string;
  seat: number;
  grace_ms: number;
}

/** The rules by which a duel is ended early; without any, it is played to its end. */
export interface Adjudication {
  draw: DrawRule | null;
  resign: ResignRule | null;
}

/** All servers that share the work, and what is common to them. `here` names the one that answers. */
export interface AdminView {
  here: string;
  paused: boolean;
  scheduled: number;
  servers: ServerFigures[];
}

/** The answer whether a WebSocket would be opened. If not, `reason` says why not, and that it may be tried again in */
export interface Admission {
  open: boolean;
  reason: string;
  retry_s: number;
}

/** Another game at the same table. `state`: from this position on, which takes moves back; `swap` changes seats. */
export interface AgainRequest {
  state?: string | null;
  swap?: boolean;
  same?: boolean;
}

/** Notice that `/api/matches/<match>/analysis` has a new analysis of the finished `match`. */
export interface Analysed {
  type: "analysed";
  match: string;
}

/** The analysis of a match. Plies that were not reached, because a person stopped it early, are missing. */
export interface Analysis {
  match: string;
  seconds: number;
  plies: JudgedPly[];
  complete: boolean;
  format: string;
}

/** The progress of the analysis of `match`. `ahead`: matches that come first; `note`: why it failed. */
export interface AnalysisState {
  match: string;
  state: "done" | "failed" | "none" | "queued" | "running";
  ahead: number;
  judged: number;
  positions: number;
  note: string;
}

/** When the moves of a match left the database, and the name of the file that has them. */
export interface ArchivePlace {
  at: string;
  file: string;
}

/** An assignment for its student. `closes` is after the late days; `due_in` is a text; `left_today` submissions. */
export interface AssignmentItem {
  name: string;
  title: string;
  game: string;
  opens: string;
  due: string;
  closes: string;
  due_in: string;
  state: "closed" | "late" | "not open" | "open";
  late_days: number;
  penalty: number;
  files: string[];
  optional: string[];
  size: number;
  submissions_a_day: number;
  left_today: number;
  submissions: number;
  submission: string | null;
  status: "broken" | "checked" | "checking" | "too late" | "waiting" | null;
  points: number | null;
  max_points: number | null;
  published: boolean;
}

/** One line of the audit log. */
export interface AuditItem {
  id: number;
  at: string;
  who: string;
  address: string;
  act: string;
  what: string;
  outcome: string;
  detail: string;
}

export interface Back {
  type: "back";
  seq: number;
  match: string;
  seat: number;
  grace_ms: number;
}

/** One ban. `value` is a network in its shortest form, an owner, or a bot. */
export interface Ban {
  id: number;
  kind: "address" | "bot" | "owner";
  value: string;
  reason: string;
  who: string;
  created_at: string;
  until: string | null;
}

/** An address or network, an owner or a bot; why, which they are told; and until when, null for good. */
export interface BanRequest {
  kind: "address" | "bot" | "owner";
  value: string;
  reason: string;
  until: string | null;
}

/** A leaderboard: `game` is a game, with the settings that make another one of it. */
export interface BoardOf {
  game: string;
  title: string;
}

/** A bot, here or not. `matches` are those it is playing, `games` those it offers to play now; `conflict` has the */
export interface BotDetail {
  name: string;
  about: string;
  registered: boolean;
  guest: boolean;
  connected: boolean;
  games: string[];
  instances: number;
  slots: number;
  rested: boolean;
  matches: string[];
  first_seen: string | null;
  last_seen: string | null;
  builds: Build[];
  conflict: string[];
  ratings: GameOf[];
}

/** The history of a bot's rating, and when another program began to play under its name. */
export interface BotHistory {
  game: string;
  bot: string;
  points: HistoryPoint[];
  builds: Build[];
}

/** A bot, all its connections together: `slots` matches at once, `playing` of them taken. */
export interface BotItem {
  name: string;
  connected: boolean;
  games: string[];
  instances: number;
  slots: number;
  playing: number;
  transport: string;
  rested: boolean;
}

/** A bot in one game: `form` has the outcomes of its last matches, the newest last; `opponents` are those it has met */
export interface BotReport {
  game: string;
  bot: string;
  form: string[];
  met: number;
  opponents: OpponentItem[];
  sample: number;
  openings: OpeningItem[];
  times: TimesItem | null;
}

export interface Bracket {
  rounds: BracketRound[];
  third_place: BracketMatch | null;
}

/** One pairing of a knockout. A bot that is not known yet is None, and `sources` names the match */
export interface BracketMatch {
  id: string;
  bots: (string | null)[];
  seeds: (number | null)[];
  scores: number[];
  sources: string[];
  losers: boolean;
  winner: string | null;
  decided: string;
  encounters: number[];
}

export interface BracketRound {
  title: string;
  number: number;
  matches: BracketMatch[];
}

/** A program that has played under a bot's name, and since when it was the newest one. */
export interface Build {
  build: string;
  since: string;
}

/** The time after main time: periods of `period_ms` each, or one period for each so many `stones` (moves). */
export interface Byoyomi {
  period_ms: number;
  periods?: number;
  stones?: number;
}

/** `consent`: whom the asker's bot plays in practice; `named`: whether classmates see the name. */
export interface ConsentRequest {
  consent?: "all" | "nobody" | "on request" | null;
  named?: boolean;
}

/** The costs of a bot in its races; `over_best`: how much more than the best of each, 0.05 for 5 %, on average. */
export interface CostItem {
  races: number;
  solved: number;
  mean: number | null;
  over_best: number | null;
}

/** The match that counts. `changed`: false if it was not void. */
export interface CountsAgain {
  match: string;
  changed: boolean;
}

/** The words of a submission's program about its fault in a match. */
export interface CourseFault {
  submission: string;
  text: string;
}

/** A course. `free_days_left` are late days without penalty; `now` is the server's clock. */
export interface CourseItem {
  name: string;
  title: string;
  zone: string;
  now: string;
  me: Me;
  free_days_left: number;
  assignments: AssignmentItem[];
}

/** The number of students with so many points: `counts[i]` of those from `edges[i]` up to `edges[i + 1]`. */
export interface Distribution {
  assignment: string;
  edges: number[];
  counts: number[];
  mean: number | null;
  median: number | null;
  missing: number;
  unchecked: number;
  broken: number;
}

/** The server that was told to drain, or to play again: `draining` says which. */
export interface Drained {
  worker: string;
  draining: boolean;
}

/** The manner of draining. `matches`: those in play end there, or other servers go on with them at once. */
export interface Draining {
  matches: "end" | "hand_over";
  then: "stop" | "wait";
}

/** A draw: after move `movenumber`, both sides reported scores within ±`score` for `movecount` moves in a row. */
export interface DrawRule {
  movenumber: number;
  movecount: number;
  score: number;
}

/** A goal edge of `seat`: the `sides` of `cells`, drawn outside the board in the seat's colour. */
export type Edge = [seat: number, sides: number[], cells: [number, number][], sockets: number, filled: number];

export interface EncounterItem {
  number: number;
  round: number;
  board: number;
  bots: string[];
  kind: string;
  part: string;
  games: number;
  over: boolean;
  points: number[];
  before: number[];
  forfeits: string[];
  matches: EncounterMatch[];
}

export interface EncounterMatch {
  match: string;
  bots: string[];
  status: string;
  scores: number[] | null;
  detail: string | null;
}

/** The end of a game by its rules. */
export interface EndItem {
  reason: string;
  scores: number[];
}

export interface EntryItem {
  bot: string;
  number: number;
  rating: number | null;
  joined: number;
  left: number | null;
  byes: number[];
  connected: boolean;
}

/** A bot that is to take part. Only the organiser may set its rating and byes. */
export interface EntryRequest {
  bot: string;
  rating?: number | null;
  byes?: number[];
}

/** Every answer with a status of 400 or more. */
export interface ErrorAnswer {
  error: Fault;
}

/** A tournament. Settings of a format besides `rounds` are in `rules`; /api/formats lists them. */
export interface EventRequest {
  game: string;
  format?: string;
  rules?: Record<string, unknown>;
  rounds?: number | null;
  bots?: string[];
  ratings?: Record<string, number>;
  options?: Record<string, unknown>;
  tc?: string | null;
  st?: string | number | null;
  time?: TimeControl | null;
  times?: Record<string, string>;
  openings?: string;
  book?: string[] | null;
  seed?: number | null;
  strikes?: number | null;
  max_plies?: number | null;
  by_time?: boolean;
  rated?: boolean | null;
  grace_s?: number;
  trf?: string | null;
  name?: string;
  admits?: "listed" | "open" | "token";
  starts_at?: string | null;
  start?: boolean;
}

/** The number of rounds that a tournament is to have in all. */
export interface ExtendRequest {
  rounds: number;
}

/** `code` is for programs, `reason` is a sentence for people. */
export interface Fault {
  code: string;
  reason: string;
}

/** A count of games that a bot lost other than on the board: "illegal", "time", "crashed", "disconnected", ... */
export interface FaultItem {
  bot: string;
  termination: string;
  games: number;
}

/** The findings of a check, as far as it may be told now: `withheld` parts are told when the assignment has closed. */
export interface Feedback {
  submission: SubmissionItem;
  broken: string;
  unplayable: string;
  parts: PartItem[];
  withheld: number;
  said: string;
  seconds: number;
}

/** The end of one entrant's race. `cost` is the cost of its solution, lower is better; None: no solution. */
export interface Finish {
  termination: "adjudicated" | "crashed" | "disconnected" | "illegal" | "resigned" | "revoked" | "rule" | "stalled" | "time";
  reason: string;
  cost: number | null;
  detail: string;
}

export interface Finished {
  type: "finished";
  seq: number;
  match: string;
  result: Result;
  view: View;
}

/** The advantage of the first move, in Elo; `error` is half the width of the 95 % interval. */
export interface FirstMoveItem {
  elo: number;
  error: number;
  games: number;
}

/** A bot, or an owner with all bots. */
export interface ForgetRequest {
  bot: string | null;
  owner: string | null;
}

/** A format that is installed, and its settings, with the defaults. */
export interface FormatItem {
  name: string;
  title: string;
  rules: Record<string, unknown>;
}

/** A game: its seats in order of play, its settings, its rules in a `line`. A race has any number of entrants. */
export interface GameItem {
  name: string;
  title: string;
  kind: "duel" | "race" | "table";
  anytime: boolean;
  seats: string[];
  options: OptionItem[];
  line: string;
  pieces: Mark[];
  texts: string[];
}

/** A bot's results in one game. `place` is null while it is provisional; with 95 % it is between `best` and `worst`, */
export interface GameOf {
  game: string;
  title: string;
  rating: number;
  error: number;
  provisional: boolean;
  games: number;
  wins: number;
  draws: number;
  losses: number;
  points: number;
  mean_ms: number;
  place: number | null;
  best: number | null;
  worst: number | null;
  of: number;
  outcomes: OutcomeCount[];
  tokens_in: number | null;
  tokens_out: number | null;
  cost: number | null;
  latency_ms: number | null;
  cost_total: number | null;
}

/** The rules of a game for people, with the first position and one some plies later, drawn; null: shown as text. */
export interface GameRules {
  name: string;
  title: string;
  line: string;
  how: string;
  sections: RulesSection[];
  text: string;
  first: Scene | null;
  later: Scene | null;
}

/** The asker's published grade. */
export interface GradeItem {
  assignment: string;
  published_at: string;
  points: number;
  max_points: number;
  late_days: number;
  status: string;
  submission: string | null;
  parts: PartItem[];
}

export interface Group {
  name: string;
  bots: string[];
  standings: Standing[];
  advance: number;
}

/** A legal move: as on the wire, in notation, and the cells to touch for it. */
export interface HandMove {
  move: unknown;
  notation: string;
  touches: [number, number][][];
  effect: string;
  choice: Mark | null;
}

/** Every pair that has met, once; for the filter `bot`, from its side. */
export interface HeadToHead {
  game: string;
  pairs: Pair[];
}

/** `status` is that of the worst of the `parts`; with "failing" the answer is HTTP 503. */
export interface Health {
  status: "degraded" | "failing" | "ok";
  version: string;
  database: "reachable" | "unreachable";
  matches: number;
  bots: number;
  parts: PartHealth[];
}

/** The best move that was found, and a sentence about it. `complete`: false if the time was up before the end. */
export interface Hint {
  move: unknown;
  notation: string;
  touches: [number, number][][];
  text: string;
  complete: boolean;
  order: number[] | null;
  best: RankedMove[];
}

/** The options of a hint. `depth`: plies to look ahead; a race is planned to its end, at any depth. */
export interface HintRequest {
  state: string;
  depth?: number;
  best?: number;
}

export interface HistoryPoint {
  at: string;
  rating: number;
  error: number;
  provisional: boolean;
}

/** A bot that the server starts for people who want to play against it. `level`: 1 (beginner) to 5. */
export interface HouseBot {
  name: string;
  title: string;
  level: number;
  games: string[];
  ratings: Record<string, number>;
}

/** Information about a bot's thinking for viewers; every field is optional. */
export interface Info {
  depth?: number;
  nodes?: number;
  score?: number;
  pv?: string[];
  text?: string;
  seldepth?: number;
  nps?: number;
  hashfull?: number;
  tbhits?: number;
  wdl?: number[];
  tokens_in?: number;
  tokens_out?: number;
  cost?: number;
  latency_ms?: number;
}

/** A free seat: the first to open `play/join/CODE` on this server takes it. */
export interface Invite {
  code: string;
  seat: number;
}

/** The name that a friend wishes to have. */
export interface JoinRequest {
  name?: string | null;
}

/** A ply, and the judgement of the position after it. */
export interface JudgedPly {
  ply: number;
  seat: number;
  move: string;
  values: (number | null)[];
  verdicts: ("draw" | "loss" | "win" | null)[];
  distance: number | null;
  best: string;
  mark: "?" | "??" | null;
}

/** One line of a leaderboard. Ratings are Elo; `error` is the half-width of the 95 % interval. */
export interface Leader {
  rank: number;
  bot: string;
  rating: number;
  error: number;
  provisional: boolean;
  games: number;
  wins: number;
  draws: number;
  losses: number;
  points: number;
  illegal_moves: number;
  time_losses: number;
  mean_ms: number;
  form: string;
  tokens_in: number | null;
  tokens_out: number | null;
  cost: number | null;
  latency_ms: number | null;
}

/** A rate limit in effect: `rate` units a second, `burst` at once, for each client. */
export interface LimitFigures {
  name: string;
  rate: number;
  burst: number;
  met: LimitMet[];
}

/** A client that was refused: an address ("" is this machine), a bot's name or a token, and how often. */
export interface LimitMet {
  who: string;
  times: number;
  ago_s: number;
}

/** A line through the middles of `cells`: dotted for a "pass", dashed for a "way" that a piece wants to go. */
export type Line = [kind: "pass" | "way", seat: number, cells: [number, number][]];

/** Any answer: the process lives and its event loop turns. A supervisor that gets none in time may restart it. */
export interface Liveness {
  alive: boolean;
}

export interface LlrPoint {
  games: number;
  llr: number;
}

/** The first message to a viewer of the lobby: the matches in progress. */
export interface LobbySnapshot {
  type: "lobby";
  seq: number;
  matches: Summary[];
  playing?: number;
  here?: number;
}

/** Matches of the lobby that have changed since the last update; a match with a result is removed after this. */
export interface LobbyUpdate {
  type: "update";
  seq: number;
  matches: Summary[];
  leaderboards: string[];
  bots: boolean;
  playing?: number;
  here?: number;
  ended?: number;
}

/** A line of the log, at level error. */
export interface LoggedError {
  at: string;
  text: string;
}

/** One piece: `shape`, the `seat` that owns it (None: no seat), the cell of its top left corner, its size in cells. */
export type Mark = [shape: "area" | "ball" | "bar" | "bishop" | "block" | "disc" | "hex" | "king" | "knight" | "label" | "pawn" | "queen" | "rook" | "stone" | "wall", seat: number | null, row: number, col: number, rows: number, cols: number, text: string];

/** A match by itself. `meetings` has each pair of its bots that has met, for up to four bots. */
export interface MatchDetail {
  id: string;
  game: string;
  title: string;
  status: "aborted" | "finished" | "running" | "scheduled";
  bots: string[];
  seats: SeatOf[];
  time: TimeControl;
  event: string;
  tournament: number | null;
  round: number;
  rated: boolean;
  scores: number[] | null;
  termination: string | null;
  reason: string | null;
  detail: string | null;
  plies: number | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  encounter: number | null;
  void: Void | null;
  archived: ArchivePlace | null;
  times: TimeControl[];
  setup: Setup;
  result: Result | null;
  neighbours: Neighbours;
  meetings: Meetings[];
}

/** A match in a list. `scores`, `termination`, `reason` and `plies` are null until it is finished. */
export interface MatchItem {
  id: string;
  game: string;
  title: string;
  status: "aborted" | "finished" | "running" | "scheduled";
  bots: string[];
  seats: SeatOf[];
  time: TimeControl;
  event: string;
  tournament: number | null;
  round: number;
  rated: boolean;
  scores: number[] | null;
  termination: string | null;
  reason: string | null;
  detail: string | null;
  plies: number | null;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  encounter: number | null;
  void: Void | null;
  archived: ArchivePlace | null;
  times: TimeControl[];
}

/** The first message to a viewer of one match; deltas from `seq` + 1 follow. */
export interface MatchSnapshot {
  type: "match";
  seq: number;
  summary: Summary;
  lines: PlyView[];
  refusals: RejectedMoveView[];
  boards: View[];
}

/** The asker. `shown_as` is what classmates see; `consent` null: as the assignment says. */
export interface Me {
  role: "staff" | "student";
  name: string;
  shown_as: string;
  team: string;
  consent: "all" | "nobody" | "on request" | null;
  named: boolean;
}

/** The move that touches stand for. `refused`: the referee's sentence, if the rules forbid it. */
export interface Meant {
  move: unknown;
  notation: string;
  refused: string | null;
}

/** The number of matches in which `first` finished ahead of, level with and behind `second`, over all rated ones of */
export interface Meetings {
  first: string;
  second: string;
  wins: number;
  draws: number;
  losses: number;
}

/** The matches beside it: of its event as they were planned, or otherwise of the same bots by age; null: none. */
export interface Neighbours {
  previous: string | null;
  next: string | null;
  encounter: number | null;
  game: number | null;
}

/** The first plies of matches in which the bot had `seat`, and its share of the points in them. */
export interface OpeningItem {
  seat: number;
  name: string;
  moves: string[];
  games: number;
  share: number;
}

/** The opponent in a seat: a connected `bot`, a `house` bot, or a `friend` who comes by a link. */
export interface Opponent {
  bot: string | null;
  house: string | null;
  friend: boolean;
}

/** The score of a bot against another one. `expected` is the share that their ratings predict. */
export interface OpponentItem {
  bot: string;
  rating: number | null;
  provisional: boolean;
  wins: number;
  draws: number;
  losses: number;
  share: number;
  expected: number | null;
}

/** A setting of a game. `choices` lists all values, if there are few; bounds if it has any. */
export interface OptionItem {
  name: string;
  type: "bool" | "float" | "int" | "str";
  default: unknown;
  description: string;
  choices: unknown[] | null;
  minimum: number | null;
  maximum: number | null;
  examples: unknown[] | null;
}

/** `outcome`: won, drawn, lost, played (alone), adjudicated, or the bot's own fault. */
export interface OutcomeCount {
  outcome: string;
  games: number;
}

/** The number of matches in which `first` finished ahead of, level with and behind `second`. */
export interface Pair {
  first: string;
  second: string;
  wins: number;
  draws: number;
  losses: number;
}

/** The figures of `first`. `pairs` counts those that gave it 0, 1/2, 1, 1 1/2, 2; the rest is of their games. */
export interface PairFigures {
  first: string;
  second: string;
  pairs: number[];
  wins: number;
  draws: number;
  losses: number;
  elo: number;
  elo_error: number;
  nelo: number;
  nelo_error: number;
  los: number;
}

/** One part of the server: `reason` says what is wrong with it, or about to be; `since` when that is so. */
export interface PartHealth {
  name: string;
  status: "degraded" | "failing" | "ok";
  ok: boolean;
  since: string;
  reason: string;
}

/** Points for a test, a reference bot, a place, or a penalty; `why` is empty where all points were given. */
export interface PartItem {
  name: string;
  points: number;
  max_points: number;
  why: string;
  extra: boolean;
  matches: string[];
  seconds: number;
  timed_out: boolean;
}

/** The state of the pause, and whether this request changed it. */
export interface Paused {
  paused: boolean;
  changed: boolean;
}

/** The games that can be played here by hand. `tables`: house tables in use, of at most `limit`; 0: no house bots */
export interface PlayInfo {
  house: HouseBot[];
  limit: number;
  tables: number;
  guests: boolean;
}

/** A person wants to play. `seat`: an index of the game's seats, null: by lot. `opponents` fill the other seats. */
export interface PlayRequest {
  game: string;
  opponents?: Opponent[];
  seat?: number | null;
  options?: Record<string, unknown>;
  tc?: string | null;
  st?: string | number | null;
  seed?: number | null;
  name?: string | null;
  rated?: boolean;
  state?: string | null;
}

export interface Played {
  type: "played";
  seq: number;
  match: string;
  line: PlyView;
  view: View;
}

/** One line of the move list. `move` is in notation. */
export interface PlyView {
  ply: number;
  seat: number;
  move: string;
  ms: number | null;
  info: Info | null;
}

/** A position, and its possible moves. `moves` is null if there are too many to list (`hand` is "order"). */
export interface PositionItem {
  state: string;
  to_move: number | null;
  text: string;
  scene: Scene | null;
  hand: "list" | "order" | "touches";
  how: string;
  moves: HandMove[] | null;
  forced: unknown;
  count: string;
  over: EndItem | null;
  meant: Meant | null;
}

/** A position: `state`, as a bot's `turn` has it, or the first one of `options` and `seed`; after `play`, if given. */
export interface PositionRequest {
  state?: string | null;
  options?: Record<string, unknown>;
  seed?: number;
  play?: number | string | boolean | null | (number | string | boolean | null | (number | string | boolean | null | (number | string | boolean | null | (number | string | boolean | null | (number | string | boolean | null | (number | string | boolean | null)[])[])[])[])[])[];
  touched?: [number, number][] | null;
  order?: number[] | null;
}

/** The answer of a classmate who was asked. */
export interface PracticeAnswer {
  accept: boolean;
}

/** A practice game. `asks_me`: the asker is to accept or decline it; `why`: it could not be played. */
export interface PracticeItem {
  id: string;
  state: "asked" | "declined" | "failed" | "over" | "playing" | "waiting";
  at: string;
  student: string;
  against: string;
  asks_me: boolean;
  match: string | null;
  why: string;
}

/** Practice of an assignment: `left` games may begin within this hour, as `said` tells. */
export interface PracticeList {
  left: number;
  games_an_hour: number;
  said: string;
  opponents: PracticeOpponent[];
  games: PracticeItem[];
}

/** An opponent for practice. `asks`: the classmate is asked first. */
export interface PracticeOpponent {
  name: string;
  shown_as: string;
  classmate: boolean;
  asks: boolean;
}

/** `against`: `reference` for the first bot of the staff, or a name of the list of opponents. */
export interface PracticeRequest {
  against: string;
}

/** A bot in the list of all. `playing` counts its matches now. */
export interface ProfileItem {
  name: string;
  about: string;
  connected: boolean;
  playing: number;
  last_seen: string | null;
  ratings: RatingOf[];
  rested: boolean;
}

/** A page of bots, of `total` in all. */
export interface Profiles {
  total: number;
  bots: ProfileItem[];
}

/** The answer to publishing grades: of how many students, and when. */
export interface Published {
  assignment: string;
  students: number;
  at: string;
}

/** The queues of one server. */
export interface QueueFigures {
  claims: number;
  journal_plies: number;
  journal_s: number;
  writes: number;
  broker: number;
}

/** The standing of an entrant in a race: the cost of its solution so far, and in one word why its race is over. */
export interface RaceStanding {
  cost: number | null;
  plies: number;
  end: string | null;
}

/** The leaderboard of a game, and the advantage of the first move there; null: not a game for two, or no result yet. */
export interface RankedGame {
  game: string;
  leaders: Leader[];
  first_move: FirstMoveItem | null;
  boards: BoardOf[];
  disputed: string[];
  total?: number;
  level?: number;
}

/** One of the best moves. `value`: for the side to move, about one piece a unit; 1000: it wins, -1000: it loses. */
export interface RankedMove {
  move: unknown;
  notation: string;
  value: number;
}

/** The history of a bot's rating; the last point is today's. */
export interface RatingHistory {
  game: string;
  bot: string;
  points: RatingItem[];
}

export interface RatingItem {
  at: string;
  rating: number;
  error: number;
  provisional: boolean;
}

/** A bot's rating in one game; `error` is half the width of the 95 % interval. */
export interface RatingOf {
  game: string;
  title: string;
  rating: number;
  error: number;
  provisional: boolean;
  games: number;
}

/** The answer if new clients should be sent here; if not, HTTP 503, and `parts` say why not. */
export interface Readiness {
  ready: boolean;
  parts: PartHealth[];
}

export interface Rejected {
  type: "refused";
  seq: number;
  match: string;
  refusal: RejectedMoveView;
  clocks_ms: (number | null)[];
}

/** A rejected move, shown with its reason. `ply` is the number of plies played before. */
export interface RejectedMoveView {
  ply: number;
  seat: number;
  move: string;
  code: string;
  reason: string;
  strikes_left: number | null;
}

/** A bot, and its new name. */
export interface RenameRequest {
  bot: string;
  to: string;
}

/** The names that bots have now, and how many matches were `changed`; `left`: others follow within a minute. */
export interface Renamed {
  names: string[];
  changed: number;
  left: boolean;
  games: string[];
}

/** A match from its first position to its newest: `views[n]` is the position after `lines[n - 1]`. */
export interface Replay {
  summary: Summary;
  lines: PlyView[];
  refusals: RejectedMoveView[];
  views: View[];
}

/** A loss for a bot that reported `score` or more against itself for `movecount` of its own moves in a row. */
export interface ResignRule {
  movecount: number;
  score: number;
  twosided: boolean;
}

/** The end of a match. `scores` has one number a seat; `seat` is the seat at fault, if there is one. */
export interface Result {
  termination: "adjudicated" | "crashed" | "disconnected" | "illegal" | "resigned" | "revoked" | "rule" | "stalled" | "time";
  reason: string;
  scores: number[];
  seat: number | null;
  detail: string;
  finishes?: Finish[];
}

/** A student for the staff. `missing` names the open or closed assignments to which nothing was handed in. */
export interface RosterItem {
  id: string;
  name: string;
  email: string;
  team: string;
  pseudonym: string;
  has_link: boolean;
  missing: string[];
}

/** The result of one bot in one round. */
export interface RoundCell {
  round: number;
  how: string;
  points: number | null;
  opponents: string[];
  colour: string;
}

export interface RoundItem {
  round: number;
  rounds: number | null;
  over: boolean;
  encounters: EncounterItem[];
}

/** A part of a game's rules in Markdown; the first one has no title. */
export interface RulesSection {
  title: string;
  text: string;
}

/** A board of `rows` x `cols` cells with `marks` on it, drawn in order; `row_names` and `col_names` label its edges. */
export interface Scene {
  rows: number;
  cols: number;
  marks: Mark[];
  board: "hex" | "lines" | "plain" | "square";
  row_names: string[];
  col_names: string[];
  last: [number, number][];
  path: [number, number][];
  edges: Edge[];
  gaps: [number, number, number][];
  lines: Line[];
  out: number[];
  chips: Mark[];
  tallies: string[];
  dots: [number, number][];
  turned: number[];
}

/** The started matches: `id`, which is `match`, is the first of `matches`. */
export interface Scheduled {
  id: string;
  match: string;
  matches: string[];
}

export interface ScoreItem {
  wins: number;
  draws: number;
  losses: number;
}

/** A seat of a match and the bot in it. */
export interface SeatOf {
  name: string;
  bot: string;
}

/** One server. Of a `silent` one only its name, role and release are known; `reason` says why it is silent. */
export interface ServerFigures {
  worker: string;
  role: "all" | "gateway" | "referee";
  release: string;
  state: "drained" | "draining" | "plays" | "silent" | "stopping";
  health: "degraded" | "failing" | "ok";
  reason: string;
  up_s: number;
  bots: number;
  playing: number;
  matches: string[];
  concurrency: number;
  plies_a_second: number;
  matches_a_minute: number;
  finished: number;
  aborted: number;
  crashed: number;
  taken_away: number;
  database_errors: number;
  errors: number;
  last_error: LoggedError | null;
  queues: QueueFigures;
  limits: LimitFigures[];
}

/** The session. `private`: true if reading needs a token here; `lasts_s`: how long the session lasts. */
export interface SessionItem {
  private: boolean;
  lasts_s: number;
}

/** The terms that were agreed before a match began. */
export interface Setup {
  game: string;
  bots: string[];
  options: Record<string, unknown>;
  seed: number;
  opening: unknown[];
  time: TimeControl;
  strikes: number;
  max_plies: number;
  grace_ms: number;
  ready_ms: number;
  stall_ms: number;
  by_time: boolean;
  position: string;
  rated: boolean;
  adjudication: Adjudication;
  times?: TimeControl[];
  eco?: string;
  opening_name?: string;
  lenient?: boolean;
  submissions?: string[];
  clock?: "processor";
  draw_offers?: boolean;
}

/** Lines of both that are alike: files, first and last lines. */
export interface SimilarLines {
  file: string;
  lines: [number, number];
  other_file: string;
  other_lines: [number, number];
}

/** The similar pairs of an assignment, the most alike first. `hint` says what they are not. */
export interface SimilarList {
  hint: string;
  submissions: number;
  pairs: SimilarPair[];
}

/** Two similar submissions, with the IDs and names of their students. Shares are 0 to 1, of each one's own code. */
export interface SimilarPair {
  submissions: [string, string];
  students: [string, string];
  names: [string, string];
  shares: [number, number];
  tokens: number;
  lines: SimilarLines[];
  sources: Record<string, string>[];
}

/** A sequential test of `first` against `second`; `pairs` counts those that gave `first` 0, 1/2, 1, 1 1/2, 2. */
export interface SprtState {
  first: string;
  second: string;
  model: string;
  elo0: number;
  elo1: number;
  alpha: number;
  beta: number;
  llr: number;
  lower: number;
  upper: number;
  state: string;
  wins: number;
  draws: number;
  losses: number;
  pairs: number[] | null;
  elo: number | null;
  elo_error: number | null;
  los: number;
  points: LlrPoint[];
}

/** A submission for the staff, with all that its check found. */
export interface StaffSubmission {
  id: string;
  student: string;
  name: string;
  at: string;
  clock: string;
  kept_at: string;
  late_days: number;
  current: boolean;
  size: number;
  note: string;
  who: string;
  status: "broken" | "checked" | "checking" | "too late" | "waiting";
  points: number | null;
  max_points: number | null;
  broken: string;
  failed: string[];
}

/** Equal ranks share a place. `tie_breaks` are in the order that the format's `tie_breaks` names them. */
export interface Standing {
  rank: number;
  bot: string;
  points: number;
  played: number;
  wins: number;
  draws: number;
  losses: number;
  tie_breaks: number[];
  left: boolean;
  note: string;
  byes: number;
  bye_points: number;
  forfeits: number;
}

/** A line of the standings: `tie_breaks` in the order of `TournamentDetail.tie_breaks`. */
export interface StandingItem {
  rank: number;
  bot: string;
  points: number;
  played: number;
  wins: number;
  draws: number;
  losses: number;
  tie_breaks: number[];
  left: boolean;
  note: string;
  rating: number | null;
  error: number | null;
  performance: number | null;
  rounds: RoundCell[];
  against: Record<string, ScoreItem>;
  costs: CostItem | null;
  byes: number;
  bye_points: number;
  forfeits: number;
}

/** A match between connected bots. */
export interface StartRequest {
  game: string;
  bots: string[];
  options?: Record<string, unknown>;
  tc?: string | null;
  st?: string | number | null;
  time?: TimeControl | null;
  times?: Record<string, string>;
  seed?: number | null;
  opening_plies?: number;
  rounds?: number;
  strikes?: number;
  max_plies?: number | null;
  by_time?: boolean;
  rated?: boolean | null;
  event?: string;
}

export interface Started {
  type: "started";
  seq: number;
  match: string;
  summary: Summary;
}

/** The reason why a match is stopped; the record keeps it. */
export interface StopRequest {
  reason?: string;
}

/** The way it was stopped: `how` says that a match in progress is adjudicated a draw, or a waiting one is taken off */
export interface Stopped {
  match: string;
  how: "aborted" | "adjudicated";
}

/** A submission of the asker or the team. `points` are those that may be told now. */
export interface SubmissionItem {
  id: string;
  assignment: string;
  at: string;
  clock: string;
  size: number;
  late_days: number;
  current: boolean;
  status: "broken" | "checked" | "checking" | "too late" | "waiting";
  points: number | null;
  max_points: number | null;
  by_me: boolean;
  place: number | null;
  begins_in_s: number | null;
}

/** The answer to an upload. `again`: these files were the current submission already, and none was used up. */
export interface SubmissionKept {
  id: string;
  again: boolean;
  at: string;
  digest: string;
  files: string[];
  left_today: number;
  status: "broken" | "checked" | "checking" | "too late" | "waiting";
  late: string;
}

/** One match in a list. In a race, `seats` are its entrants and `view` is the board of the one that is ahead. */
export interface Summary {
  match: string;
  game: string;
  title: string;
  seats: SeatOf[];
  time: TimeControl;
  event: string;
  view: View;
  kind: "duel" | "race" | "table";
  absent: number[];
  result: Result | null;
  tournament: number | null;
  confined: string[];
  told: (number | null)[];
  refused?: number;
  times?: TimeControl[];
  leaderboard?: string;
  rests?: boolean;
}

/** A guest's place: `name` and `token` go into the bot protocol's hello. `match` is null until all have come. */
export interface Table {
  game: string;
  name: string;
  token: string;
  table: string;
  match: string | null;
  seat: number;
  invites: Invite[];
  rated: boolean;
}

/** The state of a table: its match, and who is still expected ("house bot greedy starts", "a friend"). */
export interface TableState {
  table: string;
  game: string;
  match: string | null;
  waiting: string[];
  closed: string | null;
}

/** The standings of the last tournament, or of the final; `kind` null: none was played. */
export interface TermLeaderboard {
  kind: "final" | "nightly" | "rehearsal" | null;
  at: string | null;
  tournament: number | null;
  note: string;
  standings: TermStanding[];
  left_out: string;
}

/** A match of the asker's bot: with which submission, in what. `score` null: it is not over. */
export interface TermMatch {
  match: string;
  kind: string;
  tournament: number | null;
  submission: string;
  against: string[];
  score: number | null;
  termination: string | null;
  detail: string | null;
  fault: string;
}

/** A line of an assignment's leaderboard. `me`: it is the asker's bot; `bot` is its name in matches. */
export interface TermStanding {
  rank: number;
  bot: string;
  shown_as: string;
  points: number;
  played: number;
  wins: number;
  draws: number;
  losses: number;
  rating: number | null;
  me: boolean;
  faults: string[];
}

/** Moves that took `least` milliseconds or more, and less than `most`. */
export interface TimeBin {
  least: number;
  most: number;
  moves: number;
}

/** A seat's time in milliseconds. `base_ms` None: no clock; `move_ms` None: no limit a move. Both may hold. */
export interface TimeControl {
  base_ms: number | null;
  increment_ms: number;
  move_ms: number | null;
  margin_ms: number;
  moves?: number;
  byoyomi?: Byoyomi;
}

/** The time that the bot uses for a move, in milliseconds. */
export interface TimesItem {
  moves: number;
  median: number;
  p99: number;
  bins: TimeBin[];
}

export interface TournamentDetail {
  id: number;
  name: string;
  game: string;
  format: string;
  title: string;
  stage: string;
  bots: string[];
  created_at: string;
  starts_at: string | null;
  total: number;
  scheduled: number;
  running: number;
  finished: number;
  aborted: number;
  round: number;
  rounds: number | null;
  leader: string | null;
  verdict: string | null;
  settings: Record<string, unknown>;
  rules: Record<string, unknown>;
  entries: EntryItem[];
  tie_breaks: string[];
  standings: StandingItem[];
  bracket: Bracket | null;
  groups: Group[];
  sprt: SprtState | null;
  games_per_s: number | null;
  seconds_left: number | null;
  first_move_advantage: number | null;
  admits: string;
  worker: string;
  finished_at: string | null;
  note: string;
  faults: FaultItem[];
  waits: Wait[];
  pair_figures: PairFigures | null;
}

/** An event, and the number of its matches in each state. `total`: in all, if that is known; otherwise those */
export interface TournamentItem {
  id: number;
  name: string;
  game: string;
  format: string;
  title: string;
  stage: string;
  bots: string[];
  created_at: string;
  starts_at: string | null;
  total: number;
  scheduled: number;
  running: number;
  finished: number;
  aborted: number;
  round: number;
  rounds: number | null;
  leader: string | null;
  verdict: string | null;
}

/** A position as a viewer sees it: `text` is the board for terminals, `scene` the one to draw. */
export interface View {
  ply: number;
  to_move: number | null;
  clocks_ms: (number | null)[];
  text: string;
  scene: Scene | null;
  seat: number | null;
  race: RaceStanding[] | null;
  bound?: number;
  moves_to_go?: (number | null)[];
}

/** The number of viewers of `match` on this server; it has no `seq`, and comes a while after a */
export interface Viewers {
  type: "viewers";
  match: string;
  count: number;
}

/** An organiser's decision that a match does not count, as if it had never been played. */
export interface Void {
  reason: string;
  by: string;
  at: string;
}

/** Finished matches of a bot, from an address or network, or both, that ended since a moment; and why. */
export interface VoidMany {
  bot: string | null;
  address: string | null;
  since: string | null;
  reason: string;
  undo: boolean;
  count: boolean;
}

/** The reason why a match does not count; its record, and the page, show it publicly. */
export interface VoidRequest {
  reason: string;
}

/** The state after the request. `changed`: false if it was void before, for the reason given here. */
export interface Voided {
  match: string;
  changed: boolean;
  void: Void;
}

/** The numbers of matches that were changed, and that are `left` for the next request; which leaderboards follow. */
export interface VoidedMany {
  changed: number;
  left: number;
  games: string[];
}

/** Bots of which `matches` have not begun, the first one in `encounter`, and `why`: what they wait for. */
export interface Wait {
  encounter: number;
  bots: string[];
  matches: number;
  why: string;
}

/** The reasons why these meet. */
export interface Why {
  encounter: number;
  sentences: string[];
}

export type MatchMessage = MatchSnapshot | Started | Played | Rejected | Absent | Back | Finished | Analysed | Viewers;

export type LobbyMessage = LobbySnapshot | LobbyUpdate;

/** What GET answers, by the path below api/. */
export type Answer<Path extends string> =
  Path extends `courses/${string}/submissions/${string}/matches/${string}` ? Replay :
  Path extends `courses/${string}/assignments/${string}/all` | `courses/${string}/assignments/${string}/all?${string}` ? StaffSubmission[] :
  Path extends `courses/${string}/assignments/${string}/leaderboard` | `courses/${string}/assignments/${string}/leaderboard?${string}` ? TermLeaderboard :
  Path extends `courses/${string}/assignments/${string}/matches` ? TermMatch[] :
  Path extends `courses/${string}/assignments/${string}/points` ? Distribution :
  Path extends `courses/${string}/assignments/${string}/practice` ? PracticeList :
  Path extends `courses/${string}/assignments/${string}/similar` | `courses/${string}/assignments/${string}/similar?${string}` ? SimilarList :
  Path extends `courses/${string}/assignments/${string}/submissions` ? SubmissionItem[] :
  Path extends `courses/${string}/matches/${string}/faults` ? CourseFault[] :
  Path extends `courses/${string}/submissions/${string}` ? Feedback :
  Path extends `matches/${string}/positions/${string}` | `matches/${string}/positions/${string}?${string}` ? PositionItem :
  Path extends `tournaments/${string}/rounds/${string}` ? RoundItem :
  Path extends `tournaments/${string}/why/${string}` ? Why :
  Path extends `bots/${string}/history` | `bots/${string}/history?${string}` ? BotHistory :
  Path extends `bots/${string}/report` | `bots/${string}/report?${string}` ? BotReport :
  Path extends `courses/${string}/grades` ? GradeItem[] :
  Path extends `courses/${string}/roster` ? RosterItem[] :
  Path extends `games/${string}/rules` ? GameRules :
  Path extends `leaderboard/${string}/history` | `leaderboard/${string}/history?${string}` ? RatingHistory :
  Path extends `matches/${string}/analyse` ? AnalysisState :
  Path extends `matches/${string}/analysis` ? Analysis | null :
  Path extends `matches/${string}/replay` ? Replay :
  Path extends `admin/audit` | `admin/audit?${string}` ? AuditItem[] :
  Path extends `admin/bans` ? Ban[] :
  Path extends `bots/${string}` ? BotDetail :
  Path extends `courses/${string}` ? CourseItem :
  Path extends `head-to-head/${string}` | `head-to-head/${string}?${string}` ? HeadToHead :
  Path extends `health/live` ? Liveness :
  Path extends `health/ready` ? Readiness :
  Path extends `leaderboard/${string}` | `leaderboard/${string}?${string}` ? RankedGame :
  Path extends `matches/${string}` ? MatchDetail :
  Path extends `play/${string}` ? TableState :
  Path extends `tournaments/${string}` ? TournamentDetail :
  Path extends `admin` ? AdminView :
  Path extends `bots` | `bots?${string}` ? BotItem[] :
  Path extends `formats` ? FormatItem[] :
  Path extends `games` ? GameItem[] :
  Path extends `health` ? Health :
  Path extends `live` | `live?${string}` ? Admission :
  Path extends `matches` | `matches?${string}` ? MatchItem[] :
  Path extends `play` ? PlayInfo :
  Path extends `profiles` | `profiles?${string}` ? Profiles :
  Path extends `session` ? SessionItem :
  Path extends `tournaments` | `tournaments?${string}` ? TournamentItem[] :
  unknown;

/** What POST answers, by the path below api/. */
export type Posted<Path extends string> =
  Path extends `courses/${string}/assignments/${string}/practice` ? PracticeItem :
  Path extends `courses/${string}/assignments/${string}/publish` ? Published :
  Path extends `courses/${string}/assignments/${string}/submissions` | `courses/${string}/assignments/${string}/submissions?${string}` ? SubmissionKept :
  Path extends `courses/${string}/submissions/${string}/choice` ? SubmissionItem :
  Path extends `admin/servers/${string}/drain` ? Drained :
  Path extends `admin/servers/${string}/resume` ? Drained :
  Path extends `courses/${string}/practice/${string}` ? PracticeItem :
  Path extends `games/${string}/hint` ? Hint :
  Path extends `games/${string}/position` ? PositionItem :
  Path extends `matches/${string}/analyse` ? AnalysisState :
  Path extends `matches/${string}/stop` ? Stopped :
  Path extends `matches/${string}/void` ? Voided :
  Path extends `play/${string}/again` ? Table :
  Path extends `play/${string}/join` ? Table :
  Path extends `play/${string}/leave` ? TableState :
  Path extends `tournaments/${string}/cancel` ? TournamentDetail :
  Path extends `tournaments/${string}/entries` ? TournamentDetail :
  Path extends `tournaments/${string}/extend` ? TournamentDetail :
  Path extends `tournaments/${string}/pause` ? TournamentDetail :
  Path extends `tournaments/${string}/resume` ? TournamentDetail :
  Path extends `tournaments/${string}/start` ? TournamentDetail :
  Path extends `admin/bans` ? Ban :
  Path extends `admin/forget` ? Renamed :
  Path extends `admin/pause` ? Paused :
  Path extends `admin/rename` ? Renamed :
  Path extends `admin/resume` ? Paused :
  Path extends `admin/void` ? VoidedMany :
  Path extends `matches` ? Scheduled :
  Path extends `play` ? Table :
  Path extends `session` ? SessionItem :
  Path extends `tournaments` ? TournamentDetail :
  unknown;
