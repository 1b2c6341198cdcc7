// Questions that the page asks, and the answers that the engine gives. Both are JSON text.

export interface Machine {
  /** Name of a shipped example; either this or `text` is given. */
  name?: string;
  /** A description in TOML. */
  text?: string;
  /** File name of `text` in diagnostics. */
  file?: string;
  /** Overrides as `KEY=VALUE`; later ones override earlier ones. */
  sets?: string[];
}

export type Question =
  | { ask: "about" }
  | { ask: "list" }
  | ({ ask: "show" | "check" | "toml" } & Machine)
  | ({ ask: "fits"; place: string } & Machine)
  | ({ ask: "run"; record?: boolean } & Machine)
  | ({ ask: "points"; vary: string[] } & Machine)
  | ({ ask: "sweep"; vary: string[]; metrics?: string[] } & Machine)
  | ({ ask: "whatif"; metric?: string } & Machine)
  | ({ ask: "chart"; chart: string } & Machine)
  | ({ ask: "command"; do: "run" | "sweep" | "whatif"; vary?: string[]; metric?: string; metrics?: string[] } & Machine);

/** Every answer may be one of these instead. */
export interface Failure {
  problems?: Problem[];
  error?: string;
}

export interface Problem {
  message: string;
  /** Full dotted key that the problem concerns. */
  key?: string | null;
  /** Description of the error at the location of the problem. */
  label?: string | null;
  /** The override that the problem concerns, as in `sets`. */
  override?: string | null;
  file?: string | null;
  line?: number | null;
  column?: number | null;
  help?: string | string[] | null;
  /** The problem as the command line prints it. */
  text?: string | null;
}

export interface Named {
  name: string;
  about: string;
}

/** Examples, papers and policies, and the shipped parts by family. */
export type List = Record<string, Named[]>;

export interface KeyFacts {
  meaning: string;
  kind: "quantity" | "integer" | "number" | "boolean" | "name" | "list" | "text" | string;
  unit?: string | null;
  dimension?: string | null;
  default?: string | null;
  least?: string | number | null;
  most?: string | number | null;
  choices?: (Named | string)[] | null;
  role?: string | null;
  power_of_two?: boolean;
}

export interface Value {
  path: string;
  /** The value as a description writes it, with its unit. */
  value: string;
  /** Publication or reason behind the value. */
  source?: string | null;
  /** File and line that set the value, `--set` or `default`. */
  from?: string | null;
  key: KeyFacts;
}

export interface Shown extends Failure {
  title?: string;
  values: Value[];
  notes?: string[];
  warnings?: string[];
  chosen?: Record<string, string[]>;
}

export interface Fit {
  part: string;
  title: string;
  /** The override that chooses the part. */
  set?: string;
  fits: boolean;
  reason?: string | null;
}

export interface Metric {
  name: string;
  value: number | null;
  unit: string;
  text?: string;
  meaning?: string;
}

export interface Stage {
  name: string;
  waiting_ps: number;
  service_ps: number;
  text?: string;
  meaning?: string;
}

export interface Resource {
  name: string;
  /** Share of the simulated time in which the resource was held. */
  busy: number;
  /** Share of the simulated time in which the resource moved data or computed. */
  active?: number;
  text?: string;
}

export interface Message {
  id: number;
  source: string;
  destination: string;
  payload: number;
  sent_ps: number;
  delivered_ps: number;
  /** Stages in the order of the path, one after the other from `sent_ps`. */
  stages: Stage[];
}

export interface Run extends Failure {
  record?: { outcome?: string; hash?: string; [key: string]: unknown };
  /** Outcome of the run, and simulated time at its end. */
  headline?: string;
  finding?: string;
  metrics: Metric[];
  stages: Stage[];
  resources: Resource[];
  messages: Message[];
  notes?: string[];
  warnings?: string[];
  simulated_ps?: number;
  events?: number;
  /** Reason for which the run ended early, such as a deadlock, a limit or a lost message. */
  stopped?: string;
}

export interface Points extends Failure {
  points: { sets: string[]; labels: string[] }[];
  axes: { path: string; unit: string; logarithmic: boolean }[];
}

export interface Change {
  key: string;
  before: string;
  value: string;
  factor: number;
}

export interface Trial {
  resources?: string[];
  key?: string;
  changes?: Change[];
  before?: string;
  value?: string;
  ratio: number | null;
  elasticity?: number | null;
  slower_ratio?: number | null;
}

export interface WhatIf extends Failure {
  metric: string;
  value: number;
  unit: string;
  more_is_better: boolean;
  bottleneck?: Trial | null;
  resources: Trial[];
  gains?: Trial[];
  /** Other words of a choice, and numbers in place of 0. */
  settings?: { key: string; before: string; value: string; ratio: number | null }[];
  /** Changes that could not be tried, each as `KEY = VALUE`. */
  refused?: { change: string; reason: string; advice: string }[];
  notes?: string[];
  tried_with?: string[];
  runs?: number;
  text?: string;
}

/** A machine of the page, as a link describes it. */
export interface MachineState {
  name: string | null;
  text: string | null;
  sets: Map<string, string>;
}

export interface PageState {
  machines: MachineState[];
  baseline: MachineState | null;
  /** Index of the machine that the controls edit. */
  edited: number;
  metric: string | null;
  curve: CurveState | null;
}

export interface CurveState {
  key: string;
  /** Range as `--vary` reads it: `8 B..4 KiB*2`. */
  range: string;
}

export interface Quantity {
  number: number;
  unit: string;
}

export interface AskOptions {
  /** A newer question of a channel replaces an older one. */
  channel?: string;
  /** Larger numbers go first. */
  priority?: number;
  signal?: AbortSignal;
  /** Longest time of the run, in ms; the answer is then TIMED_OUT. */
  limit?: number;
}

export interface Engine {
  readonly kind: "wasm" | "server";
  readonly workers: number;
  ask(question: Question, options?: AskOptions): Promise<any>;
  cancel(channel: string): void;
  cancelAll(): void;
}

declare global {
  /** Base64 of the gzip-compressed module, for pages opened from a file. */
  var NARROWS_WASM_GZIP: string | undefined;
  var NARROWS_ENGINE: "wasm" | "server" | undefined;
}
