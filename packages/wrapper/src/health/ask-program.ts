import type { PlainAnswer, PlainQuestion } from "../runtime.ts";
import type { AskedProgram } from "../settings.ts";
import type { Readiness } from "./readiness.ts";

/** As the kubelet reads at most of an answer (pkg/probe/http, maxRespBodyLength). */
const MOST_BYTES = 10 * 1024;
/** Programs tell probes apart by it, as with the kubelet's `kube-probe/1.36`. */
const AGENT = ["User-Agent", "kube-probe/svc"] as const;

/**
 * Asks the program whether it is ready, as the kubelet would: any status from 200 to 399 is a yes,
 * and its certificate is not verified. Redirects are not followed: one is a yes.
 *
 * @param ready the answer for a yes
 */
export async function askProgram(
  ask: (question: PlainQuestion) => Promise<PlainAnswer>,
  program: AskedProgram | undefined,
  ready: Readiness,
): Promise<Readiness> {
  if (program === undefined) return ready;
  const reason = await whyNotReady(ask, program);
  return reason === undefined ? ready : { status: "starting", reason };
}

/** Asks the program as `askProgram`. @returns why it is not ready; undefined if it is. */
export async function whyNotReady(
  ask: (question: PlainQuestion) => Promise<PlainAnswer>,
  program: AskedProgram,
): Promise<string | undefined> {
  const { host, port, isTls, path, timeoutMs } = program;
  const isNamed = program.headers.some(([name]) => name.toLowerCase() === "user-agent");
  const headers = isNamed ? program.headers : [AGENT, ...program.headers];
  const answer = await ask({ host, port, isTls, path, headers, timeoutMs, mostBytes: MOST_BYTES });
  if (answer.kind === "none") {
    const isLong = answer.why === "the answer is too long";
    return isLong ? undefined : `the program does not answer: ${answer.why}`;
  }
  const isYes = answer.status >= 200 && answer.status < 400;
  return isYes ? undefined : `the program answers ${answer.status}`;
}

/**
 * Shares one answer among all that ask while it is under way, and for a moment afterwards. So a
 * crowd of clients asks the program no more often than one of them.
 *
 * @param nowMs a clock in milliseconds that never goes back
 */
export function shared<T>(
  ask: () => Promise<T>,
  holdMs: number,
  nowMs: () => number = () => performance.now(),
): () => Promise<T> {
  let current: { readonly answer: Promise<T>; untilMs: number } | undefined;
  return () => {
    if (current !== undefined && nowMs() < current.untilMs) return current.answer;
    const asked = { answer: ask(), untilMs: Number.POSITIVE_INFINITY };
    current = asked;
    const settle = () => {
      asked.untilMs = nowMs() + holdMs;
    };
    void asked.answer.then(settle, settle);
    return asked.answer;
  };
}
