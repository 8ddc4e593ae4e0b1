import type { LeasedSecret } from "@svc/devstore";
import type { ErrorName } from "../machine/errors.ts";
import type { AgentPlan } from "./agent.ts";
import type { ErrandName } from "./errands.ts";
import type { Behaviour } from "./model-program.ts";
import type { OperatorPlan } from "./operator-plan.ts";
import type { TokenAnswer } from "./token-server.ts";

/** A window in which requests to the vault fail. */
export interface Outage {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: "refused" | "silent" | "closed" | "unavailable" | "limited" | "garbage";
  /** The part of requests that it meets. */
  readonly part: number;
}

/** A time in which a standby of the vault answers reads: it knows the first versions alone. */
export interface Standby {
  readonly fromMs: number;
  readonly toMs: number;
  /** The part of reads that it answers; each one by default. */
  readonly part?: number;
}

/** Until then logins meet a standby that does not know their role yet. */
export interface LateStandby {
  readonly untilMs: number;
}

/** A time in which something comes again and again, faster than the wrapper can take it. */
export interface Flood {
  readonly kind: "signals" | "orphans" | "requests";
  readonly fromMs: number;
  readonly ms: number;
}

/** A time in which the control group of the whole family, or of the program alone, is frozen. */
export interface Freeze {
  readonly whom: "family" | "program";
  readonly fromMs: number;
  readonly toMs: number;
}

/** Something that others do to the wrapper, its program or the vault. */
export type Action =
  | { readonly kind: "change" }
  | { readonly kind: "revoke tokens" }
  /** The token that VAULT_TOKEN has. */
  | { readonly kind: "revoke root" }
  | { readonly kind: "signal"; readonly number: number }
  | { readonly kind: "kill courier" }
  | { readonly kind: "stop courier" }
  | { readonly kind: "stop courier at once" }
  | { readonly kind: "kill wrapper" }
  /** POST /v1/unseal with the vault's token, or with another one. */
  | { readonly kind: "unseal wrapper"; readonly isRight: boolean; readonly isLimited?: true }
  /** The values of the first version come back as a new one. */
  | { readonly kind: "change back" }
  /** The policy of logins forbids that path from then on. */
  | { readonly kind: "forbid"; readonly path: string }
  | { readonly kind: "signal program"; readonly number: number }
  | { readonly kind: "move clock"; readonly ms: number }
  | { readonly kind: "end parent" }
  /** The secret and its versions are gone, and the next change is version 1 again. */
  | { readonly kind: "remove secret" }
  /** POST /v1/check, and GET /v1/check. */
  | { readonly kind: "ask for a check" }
  | { readonly kind: "look at the check" }
  /** The file of a secret has another text, or is gone. */
  | { readonly kind: "write file"; readonly text: string }
  | { readonly kind: "remove file" }
  /** The certificate of the health port is replaced, or is gone. */
  | { readonly kind: "write certificate" }
  | { readonly kind: "remove certificate" }
  /** The kubelet writes SVC_REFRESH_FILE. */
  | { readonly kind: "touch refresh file" }
  /** The operator says `changed` so often at once. */
  | { readonly kind: "flood of hints"; readonly count: number }
  /** `--once-ready`, with a command or without one. */
  | { readonly kind: "ask ready"; readonly command?: string }
  | { readonly kind: "seal" }
  | { readonly kind: "unseal" };

/** An action at its time, in milliseconds from the start. */
export type Planned = Action & { readonly atMs: number };

/** The events that may come at each call of the kernel, as probabilities. */
export interface Disturbance {
  /** A call that may fail, fails. */
  readonly refusal: number;
  /** A courier dies. */
  readonly courierEnd: number;
  /** The program dies. */
  readonly programEnd: number;
  /** The wrapper gets a signal. */
  readonly signal: number;
  /** A read or a write takes only a part. */
  readonly short: number;
}

/** The way to a token: VAULT_TOKEN, a login for tokens of a life, or sealed mode. */
export type Login =
  | { readonly kind: "token" }
  /** VAULT_TOKEN_FILE. */
  | { readonly kind: "file" }
  | { readonly kind: "kubernetes"; readonly tokenMs: number }
  /** The agent of the node gives the account's token, or does not. */
  | { readonly kind: "by the agent"; readonly answer: TokenAnswer | "no server" }
  | { readonly kind: "sealed" };

/** Calls that fail by plan. */
export interface Refusal {
  readonly call: string;
  readonly error: ErrorName;
  /** The first of them that fails, from 1 on; the first one by default. */
  readonly from?: number;
  /** The number of them; each one by default. */
  readonly times?: number;
}

/** A call of the wrapper or of a courier before which its program is killed. */
export interface ProgramKill {
  readonly call: string;
  /** From 1 on. */
  readonly number: number;
}

/** The surroundings in which the wrapper is started: the program has to find them unchanged. */
export interface Arrival {
  /** Signals that are ignored. */
  readonly ignored: readonly number[];
  /** Signals that are blocked. */
  readonly blocked: readonly number[];
  /** Open descriptors, besides the standard streams. */
  readonly fds: readonly number[];
  /** The most descriptors. */
  readonly descriptorLimit: number;
  /** The most bytes of locked memory. */
  readonly lockLimit?: number;
}

/** A run as data: the same scenario gives the same run, to the byte. */
export interface Scenario {
  /** Decides delays, and the process that goes on next. */
  readonly seed: number;
  readonly isFirstProcess: boolean;
  readonly settings: Readonly<Record<string, string>>;
  readonly login: Login;
  /** The wrapper has another command line than that of a program. */
  readonly errand?: ErrandName;
  /** The run has to go as that story says. */
  readonly story?: string;
  /** The story is written down only now. */
  readonly isToBeTold?: true;
  readonly arrival?: Arrival;
  /** The user of all processes; root by default. */
  readonly user?: number;
  readonly hasTerminal?: boolean;
  /** A child was there before the wrapper: `sh -c 'sidecar & exec svc-wrapper …'`. */
  readonly hasStranger?: boolean;
  /** systemd listens at `/run/notify`. */
  readonly hasSystemd?: boolean;
  /** The wrapper's parent is not the first process, and the wrapper ends with it. */
  readonly endsWithParent?: boolean;
  /** The life and the rights of tokens; `denied` is refused to them. */
  readonly role?: { readonly longestMs?: number; readonly denied?: readonly string[] };
  /** Secrets with a lease, by their names in the engine `dev-lease`. */
  readonly leased?: Readonly<Record<string, LeasedSecret>>;
  readonly refusals?: readonly Refusal[];
  readonly programKill?: ProgramKill;
  readonly behind?: Standby;
  readonly unknowing?: LateStandby;
  readonly freeze?: Freeze;
  /** The program is registered with a kernel agent. */
  readonly agent?: AgentPlan;
  /** Rotations wait for its permits, and it may say hints. */
  readonly operator?: OperatorPlan;
  /** SVC_REFRESH_FILE is set. */
  readonly hasRefreshFile?: boolean;
  readonly slowestAnswerMs: number;
  readonly outages: readonly Outage[];
  readonly floods: readonly Flood[];
  readonly actions: readonly Planned[];
  readonly disturbance: Disturbance;
  /** The behaviour of the program at its first start, at its second, and so on, again and again. */
  readonly programs: readonly Behaviour[];
  /** SIGTERM comes then. */
  readonly stopAtMs: number;
}
