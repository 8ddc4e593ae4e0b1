/**
 * The wrapper's life as values: its states, the events that change them, and the effects that
 * follow. advance-life.ts decides, run-lifecycle.ts carries the effects out.
 */

import type { PermitAnswer } from "@svc/protocol";
import type { DeliveryMethod, RotationWay } from "@svc/settings";
import type { Failure } from "../errors.ts";
import type { UnreadyStatus } from "../health/readiness.ts";
import type { ReceivedHint } from "../health/received-hint.ts";
import type { UnsealAttempt, WrapperCounts } from "../health/wrapper-facts.ts";
import type { LogFields, LogLevel } from "../log.ts";
import type { CheckJob } from "../messages/courier-job.ts";
import type { CheckResult, FetchedSecrets, SecretsState } from "../messages/courier-message.ts";
import type { Ending } from "../program/ending.ts";
import type { WrapperSettings } from "../settings.ts";
import type { CheckHistory } from "./check-history.ts";
import type { HeldVersion } from "./held-versions.ts";
import type { Knowledge, Moment } from "./knowledge.ts";
import type { HeldTokenLife } from "./renewal-time.ts";

/** Everything that the lifecycle remembers. Times are those of performance.now. */
export interface Life {
  readonly stage: Stage;
  readonly phase: Phase;
  readonly counts: WrapperCounts;
  /** About the secrets of the program that runs, or ran last. */
  readonly knowledge?: Knowledge;
  /** The versions of its secrets: of those that it has, which may not be the newest. */
  readonly versions: readonly HeldVersion[];
  /** True once a program has run. */
  readonly hasRun: boolean;
  /** True while one runs. */
  readonly applicationRuns: boolean;
  /** Restarts in a row after a program ended by itself. */
  readonly restarts: number;
  /** How long the last measured start took until the program was ready. */
  readonly startTookMs?: number;
  /** Until when the operator's hint holds that all secrets are the newest; 0 if it has said none. */
  readonly freshUntilMs: number;
}

/** The stage of the wrapper's life. */
export type Stage =
  /** An unseal server serves the health port, or the next one does after a pause. */
  | { readonly kind: "sealed" }
  /** A courier fetches the secrets and becomes the program. */
  | { readonly kind: "beginning" }
  | Running
  /**
   * The program has ended and is started again after a pause. Without `attempt` its start has failed
   * since, and is only repeated.
   */
  | { readonly kind: "pausing"; readonly attempt?: number }
  /** The wrapper cleans up; then it exits. */
  | {
      readonly kind: "ending";
      readonly exit: Exit;
      readonly onSignal: "hurry" | "switch" | "exit";
    };

/** The program runs. */
export interface Running {
  readonly kind: "running";
  readonly startedAtMs: number;
  readonly activity: Activity;
  /** The last rotation, or the program's start. */
  readonly rotatedAtMs: number;
  /** Infinity if no rotation is planned. */
  readonly rotateAtMs: number;
  /** Rotations that failed since the last that did not. */
  readonly failedRotations: number;
  /** True if the last check found that the program's secrets have to be replaced. */
  readonly isOutdated: boolean;
  readonly permit: Permit;
  readonly checks: CheckHistory;
  /** True if new values were announced to it that it cannot get before its next start. */
  readonly keepsFirstValues?: true;
}

/** The permit of a planned rotation, if the operator gives permits. */
export type Permit =
  /** It was not asked for. */
  | { readonly kind: "none" }
  /** The operator lets the wrapper wait. */
  | { readonly kind: "waiting"; readonly reason: string }
  /** The operator gives no answer, since this moment. */
  | { readonly kind: "unanswered"; readonly sinceMs: number }
  /** The operator was away for too long: the rotation needs none. */
  | { readonly kind: "waived" }
  /** The operator is told once the rotation is over. */
  | { readonly kind: "held" };

/** One thing at a time, while the program runs. */
export type Activity =
  /** SVC_ROTATION=none: nothing but the program's end is waited for. */
  | { readonly kind: "none" }
  /** The next check comes at `checkAtMs`, unless hints stop before. */
  | { readonly kind: "waiting"; readonly next: "check" | "rotation"; readonly checkAtMs: number }
  /** The operator is asked for a permit to rotate. A check that is due meanwhile comes afterwards. */
  | { readonly kind: "asking"; readonly checkAtMs: number }
  /** The program takes no more requests; its rotation begins after a pause. */
  | { readonly kind: "draining" }
  | { readonly kind: "checking"; readonly job: CheckJob; readonly sinceMs: number }
  /** `ending` is that of the program that is replaced. */
  | { readonly kind: "rotating"; readonly ending?: Ending }
  | { readonly kind: "unsealing" };

/** The phase, as probes and systemd see it. */
export type Phase =
  /** `sealed` if the token has died since. */
  | { readonly kind: "running"; readonly sealed?: true }
  | {
      readonly kind: Exclude<UnreadyStatus, "stale">;
      readonly reason: string;
      /** The code of the failure that the reason names. */
      readonly code?: string;
    };

/** Facts of a program that was started. */
export interface StartedProgram {
  readonly secrets: FetchedSecrets;
  readonly delivery: DeliveryMethod;
  /** When the supervisor heard that the secrets were fetched. */
  readonly fetchedAtMs: number;
  readonly startedAtMs: number;
}

/** How a courier that was to become a program came out. */
export type StartOutcome =
  | { readonly kind: "running"; readonly program: StartedProgram }
  | NoProgram;

/** Why there is no program. */
export type NoProgram =
  | { readonly kind: "unchanged"; readonly state: SecretsState }
  | { readonly kind: "failed"; readonly failures: readonly Failure[] }
  /** The courier ended without a message: it was killed, or has a bug. */
  | { readonly kind: "died"; readonly ending: Ending };

/** How a rotation came out, by restart or by SIGHUP. */
export type RotationOutcome =
  | Exclude<StartOutcome, { readonly kind: "died" }>
  | { readonly kind: "refreshed"; readonly state: SecretsState }
  /** The program ended first, or the wrapper was asked to end. */
  | { readonly kind: "ended"; readonly ending: Ending }
  /** The old program has ended and there is no new one. */
  | { readonly kind: "lost"; readonly outcome: NoProgram };

/** How a check came out. */
export type CheckOutcome =
  | { readonly kind: "done"; readonly result: CheckResult }
  /** `isUnstarted` if there was no courier: descriptors, processes or memory were short. */
  | {
      readonly kind: "failed";
      readonly failures: readonly Failure[];
      readonly isUnstarted?: true;
    };

/** How a question for a permit came out. */
export type PermitOutcome =
  | { readonly kind: "answered"; readonly answer: PermitAnswer }
  | { readonly kind: "unanswered"; readonly failures: readonly Failure[] };

/** Something has happened. */
export type LifeEvent =
  /** Once, first of all. `isUnderWay` if the first courier fetches the secrets already. */
  | { readonly kind: "begin"; readonly isUnderWay: boolean }
  /** The pause is over that the last `wait` began. */
  | { readonly kind: "time" }
  | {
      readonly kind: "unseal server ended";
      readonly exitCode: number;
      readonly failures: readonly Failure[];
    }
  | { readonly kind: "start ended"; readonly outcome: StartOutcome }
  /** A client wants the next check at once. */
  | { readonly kind: "check wanted" }
  /** The operator has said a hint. */
  | { readonly kind: "hint"; readonly hint: ReceivedHint }
  | { readonly kind: "check ended"; readonly outcome: CheckOutcome }
  | { readonly kind: "permit answered"; readonly outcome: PermitOutcome }
  | { readonly kind: "rotation ended"; readonly outcome: RotationOutcome }
  | { readonly kind: "program ended"; readonly ending: Ending }
  /** A signal that would end a program has come while none runs. */
  | { readonly kind: "signal"; readonly signal: number }
  /** `clear away` is done. */
  | { readonly kind: "cleared" }
  | { readonly kind: "observed"; readonly observation: Observation };

/** Something that is counted or shown, and leads to nothing else. */
export type Observation =
  | { readonly kind: "phase"; readonly phase: Phase }
  /** A courier logged in while it fetched the secrets of a program. */
  | { readonly kind: "login" }
  /** A courier that fetches the secrets of a program asks the vault again. */
  | { readonly kind: "delay"; readonly failure: Failure }
  /** The program has started another one, which has plain values. */
  | { readonly kind: "unprotected program" }
  | { readonly kind: "unseal attempt"; readonly result: UnsealAttempt }
  /** The program has said for the first time that it is ready. */
  | { readonly kind: "program ready"; readonly startTookMs: number }
  | { readonly kind: "agent"; readonly agent: NonNullable<WrapperCounts["agent"]> };

/** A signal that came a while ago. */
export interface PastSignal {
  readonly signal: number;
  readonly agoMs: number;
}

/** The facts outside of the life at the moment of an event. */
export interface LifeContext extends Moment {
  /** The wall clock at `nowMs`; milliseconds since the epoch. */
  readonly wallMs: number;
  readonly settings: WrapperSettings;
  readonly hasToken: boolean;
  /** Undefined while no vault was asked. */
  readonly token: HeldTokenLife | undefined;
  readonly memory: "memfd_secret" | "memfd";
  /** True once the wrapper was asked to end. */
  readonly isStopping: boolean;
  /** How long ago that was; 0 if it was not. */
  readonly stoppingForMs: number;
  /** The last signal from outside of the PID namespace. */
  readonly fromOutside: PastSignal | undefined;
}

/** Values with which a rotation leaves the program alone, or a start fails. */
export interface ValuesToRefuse {
  readonly unlessDigest?: string;
  readonly notBefore?: Knowledge["watched"];
}

/** Work that follows an event. The runner carries effects out in their order. */
export type LifeEffect =
  | {
      readonly kind: "log";
      readonly level: LogLevel;
      readonly message: string;
      readonly fields?: LogFields;
    }
  /** Tells systemd; probes ask by themselves. */
  | { readonly kind: "tell phase"; readonly phase: Phase }
  | { readonly kind: "open health port" }
  | { readonly kind: "close health port" }
  /** Ends the activity that is under way; its result does not come any more. */
  | { readonly kind: "cancel" }
  /** `time` follows. */
  | { readonly kind: "wait"; readonly ms: number }
  /** `unseal server ended` follows. */
  | { readonly kind: "serve unseal" }
  /** `start ended` follows. */
  | ({ readonly kind: "start program" } & Pick<ValuesToRefuse, "notBefore">)
  /** `check ended` follows. */
  | { readonly kind: "check"; readonly job: CheckJob }
  /** `permit answered` follows. `expiresInMs` is absent if no secret expires. */
  | { readonly kind: "ask permit"; readonly expiresInMs?: number }
  /** Tells the operator that the rotation is over. */
  | { readonly kind: "tell permit"; readonly say: "done" | "kept" }
  /** `rotation ended` follows. */
  | { readonly kind: "rotate"; readonly by: RotationWay; readonly refuse: ValuesToRefuse }
  /** `program ended` follows, once the program that was started last has ended. */
  | { readonly kind: "follow program" }
  /** Signals go to no program any more. */
  | { readonly kind: "release program" }
  | { readonly kind: "measure protection" }
  /** Says the protection score if it has changed. */
  | { readonly kind: "say protection" }
  | { readonly kind: "give token up" }
  | { readonly kind: "degrade memory"; readonly reason: string }
  | { readonly kind: "give memory back" }
  | { readonly kind: "kill leftovers" }
  /** Revokes the token and ends the leftovers of the program; `cleared` follows. */
  | { readonly kind: "clear away"; readonly leftoversGraceMs?: number }
  /** Waits for leftovers no longer. */
  | { readonly kind: "hurry" }
  /** The sealed mode cannot go on. */
  | { readonly kind: "give up"; readonly failures: readonly Failure[] }
  | { readonly kind: "exit"; readonly exit: Exit };

/** How the wrapper exits. */
export type Exit =
  /** With the program's own status: no other end can have the status 0. */
  | { readonly kind: "program"; readonly ending: Ending }
  /** As if that signal had ended the wrapper. */
  | { readonly kind: "signal"; readonly signal: number }
  /** Its failures are logged, and written for the kubelet. */
  | { readonly kind: "failures"; readonly failures: readonly Failure[] };

/** The next life, and the work that follows. */
export interface Step {
  readonly life: Life;
  readonly effects: readonly LifeEffect[];
}
