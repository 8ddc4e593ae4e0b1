import { runtime } from "../engine/runtime.ts";
import { type ReadyAnswer, reasonIn } from "./ready-answer.ts";
import type { ReadyQuestion } from "./ready-question.ts";

/** The wrapper's answer, or why there is none. */
export type AskedReady =
  | ({ readonly kind: "answer" } & ReadyAnswer)
  | { readonly kind: "none"; readonly why: string };

/** The wrapper's own answers are shorter, even if they have the versions of many secrets. */
const MOST_BYTES = 65_536;

/**
 * Asks a wrapper whether its program runs.
 *
 * The certificate is not verified, as the kubelet does not verify it either. It names the pod, not
 * its loopback; the container need not have its CA; and nothing secret is said. Another program
 * that takes the wrapper's port is in the pod already.
 */
export function askReady(
  question: ReadyQuestion,
  path: string,
  deadlineMs: number,
): Promise<AskedReady> {
  const { promise, resolve, reject } = Promise.withResolvers<AskedReady>();
  const giveUp = () => resolve({ kind: "none", why: `no answer within ${deadlineMs / 1000} s` });
  setTimeout(giveUp, deadlineMs);
  ask(question, path).then(resolve, reject);
  return promise;
}

async function ask({ host, port, isTls }: ReadyQuestion, path: string): Promise<AskedReady> {
  const asked = { host, port, isTls, path, mostBytes: MOST_BYTES };
  const answer = await runtime.ask(asked);
  if (answer.kind === "none") return answer;
  return { kind: "answer", status: answer.status, reason: reasonIn(answer.body) };
}
