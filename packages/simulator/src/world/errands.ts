/** A short errand of the wrapper, and the answer that it has to give. */
export interface Errand {
  /** The words behind the wrapper's name. */
  readonly words: readonly string[];
  /** Settings beside those of every start. */
  readonly settings?: Readonly<Record<string, string>>;
  readonly exits: number;
  /** Each has to be in the output or in the log. */
  readonly says: readonly RegExp[];
}

const program = ["--", "/bin/app"];

/** Errands after which no program has started: the wrapper answers, and ends. */
export const errands = {
  version: { words: ["--version"], exits: 0, says: [/^svc-wrapper \S+\n$/m] },
  help: { words: ["--help"], exits: 0, says: [/SVC_SECRET_PATHS/, /--end-with-parent/] },
  explain: {
    words: ["--explain", ...program],
    exits: 0,
    says: [/^env: \S/m, /^children: \S/m],
  },
  "explain without a supervisor": {
    words: ["--explain", ...program],
    settings: { SVC_SUPERVISE: "never" },
    exits: 0,
    says: [/^env: \S/m, /^supervision: none: the wrapper becomes the program/m],
  },
  "explain a program that is absent": {
    words: ["--explain", "--", "/bin/absent"],
    exits: 127,
    says: [/^impossible: .*\/bin\/absent/m],
  },
  "a program that is absent": {
    words: ["--", "/bin/absent"],
    exits: 127,
    says: [/"level":"error".*\/bin\/absent/],
  },
  "settings that are wrong": {
    words: program,
    settings: { SVC_ROTATION: "perhaps", RENEWAL_INTERVAL: "often", SVC_STOP_GRACE: "-1s" },
    exits: 125,
    says: [/"SETTINGS_INVALID"/, /SVC_ROTATION/, /RENEWAL_INTERVAL/, /SVC_STOP_GRACE/],
  },
  "settings that are wrong, as text": {
    words: program,
    settings: { SVC_ROTATION: "perhaps", SVC_LOG_FORMAT: "text" },
    exits: 125,
    says: [/^svc: error: SVC_ROTATION: must be one of/m],
  },
  "a format that is wrong": {
    words: program,
    settings: { SVC_LOG_FORMAT: "xml" },
    exits: 125,
    says: [/SVC_LOG_FORMAT/],
  },
  "a hand-over with a supervisor's settings": {
    words: program,
    settings: { SVC_SUPERVISE: "never", SVC_ROTATION: "restart", SVC_RESTART: "always" },
    exits: 125,
    says: [/SVC_ROTATION.*SVC_SUPERVISE is never/, /SVC_RESTART.*SVC_SUPERVISE is never/],
  },
  "a probe of a wrapper that is not there": {
    words: ["--once-ready"],
    exits: 1,
    says: [/^svc-wrapper: --once-ready: .*8199.*ECONNREFUSED$/m],
  },
  "a probe with a port that is wrong": {
    words: ["--once-ready"],
    settings: { HEALTH_ADDR: "127.0.0.1:high" },
    exits: 1,
    says: [/--once-ready: .*HEALTH_ADDR/],
  },
  "a token in a file that is absent": {
    words: program,
    settings: { VAULT_TOKEN: "", VAULT_TOKEN_FILE: "/run/absent" },
    exits: 125,
    says: [/"TOKEN_UNREADABLE"/, /VAULT_TOKEN_FILE.*\/run\/absent.*ENOENT/],
  },
  "an account's token that is absent": {
    words: program,
    settings: { VAULT_TOKEN: "", VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: "/run/absent" },
    exits: 125,
    says: [/"TOKEN_UNREADABLE"/, /SVC_AUTH_JWT_PATH.*\/run\/absent.*ENOENT/],
  },
  "a probe with a wrong word": {
    words: ["--once-ready", "now"],
    exits: 1,
    says: [/--once-ready: must be the last word, or be followed by -- and a command/],
  },
  "an installation into a folder without a name": {
    words: ["--install", ""],
    exits: 125,
    says: [/--install: must be followed by a folder, and by nothing else/],
  },
  "an installation without a bundle": {
    words: ["--install", "/run"],
    exits: 125,
    says: [/^svc-wrapper: --install: .*ENOENT/m],
  },
  "an installation without a folder": {
    words: ["--install"],
    exits: 125,
    says: [/--install: must be followed by a folder, and by nothing else/],
  },
} as const satisfies Readonly<Record<string, Errand>>;

/** The name of an errand. */
export type ErrandName = keyof typeof errands;
