import { plain, type ToldSecret, toldSecrets } from "../cluster/told-secrets.ts";

/** The words of a wrapper about its program, or why it has none. */
export type ToldStatus =
  | { readonly kind: "unreached"; readonly reason: string }
  | {
      readonly kind: "told";
      /** As `status` of GET /readyz; `unknown` of an older wrapper. */
      readonly status: string;
      /** One line for people; empty if there is nothing to say. */
      readonly reason: string;
      readonly delivery: string | undefined;
      readonly memory: string | undefined;
      /** 0 to 100. */
      readonly protectionScore: number | undefined;
      /** Since the wrapper's start. */
      readonly rotations: number | undefined;
      readonly applicationRestarts: number | undefined;
      /** Undefined if the program asks for no agent. */
      readonly agentConnected: boolean | undefined;
      readonly secrets: readonly ToldSecret[];
    };

const LONGEST_REASON = 400;

/** Reads the answer of GET /v1/check. Members that are malformed, or missing, are unknown. Pure. */
export function toldStatus(answer: unknown): ToldStatus {
  const { state, reason, readiness, delivery, agent, secrets } = Object(answer);
  const told = Object(readiness);
  const why = [told.reason, state === "failing" || state === "rotating" ? reason : undefined];
  const words = why.find((one): one is string => typeof one === "string") ?? "";
  return {
    kind: "told",
    status: typeof told.status === "string" ? plain(told.status) : "unknown",
    reason: plain(words).slice(0, LONGEST_REASON),
    delivery: textIn(Object(delivery).method),
    memory: textIn(Object(delivery).memory),
    protectionScore: countIn(told.protectionScore),
    rotations: countIn(told.rotations),
    applicationRestarts: countIn(told.applicationRestarts),
    agentConnected: typeof Object(agent).connected === "boolean" ? agent.connected : undefined,
    secrets: toldSecrets(secrets),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? plain(value) : undefined;
}

function countIn(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? Number(value) : undefined;
}
