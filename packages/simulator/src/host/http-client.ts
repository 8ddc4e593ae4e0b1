import { type SecretBytes, secretBytesFrom } from "@svc/secret-bytes";
import { NotModelled } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { Network, Outcome } from "./network.ts";
import type { ScriptState } from "./script-state.ts";

type Text = string | SecretBytes;

/** The wrapper's request; svc-engine.d.ts. */
interface HostRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [name: string, value: Text])[];
  readonly body?: readonly Text[];
  readonly maxBytes: number;
}

const encoder = new TextEncoder();

/** The host's HTTP client, on a simulated network. */
export function httpClient(machine: Machine, network: Network, state: () => ScriptState) {
  return {
    limitConnections: (most: number) =>
      machine.trace.note(`host: courier opens ${most} connections at most`),
    closeIdleConnections: () => machine.trace.note("host: courier closes idle connections"),
    letRequestsBegin: () => later(state()),
    sendHttp(request: HostRequest) {
      const { loop } = state();
      const process = machine.running;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      let isDone = false;
      loop.requests++;
      const finish = (outcome: Outcome) => {
        if (isDone) return;
        isDone = true;
        loop.settle(() => {
          loop.requests--;
          settle(machine, outcome, request.maxBytes, resolve, reject);
        });
      };
      const cancel = network.send(process, plain(request), finish);
      const abort = () => {
        cancel();
        finish({ kind: "fault", fault: "aborted", answered: false });
      };
      return { response: promise, abort };
    },
  };
}

function later({ loop }: ScriptState): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  loop.settle(resolve);
  return promise;
}

function settle(
  machine: Machine,
  outcome: Outcome,
  maxBytes: number,
  resolve: (response: unknown) => void,
  reject: (error: Error) => void,
): void {
  if (outcome.kind === "fault") {
    const { fault, answered } = outcome;
    reject(Object.assign(new Error(fault), { fault, answered }));
    return;
  }
  const body = encoder.encode(outcome.body);
  machine.atBytes?.(body);
  if (body.length > maxBytes) {
    reject(Object.assign(new Error("body too large"), { fault: "body too large", answered: true }));
    return;
  }
  resolve({ status: outcome.status, headers: outcome.headers, body: secretBytesFrom(body) });
}

function plain({ method, url, headers, body = [] }: HostRequest) {
  return {
    method,
    url,
    headers: headers.map(([name, value]) => [name.toLowerCase(), textOf(value)] as const),
    // A secret is the inside of a JSON string.
    body: body
      .map((part) => (typeof part === "string" ? part : JSON.stringify(textOf(part)).slice(1, -1)))
      .join(""),
  };
}

function textOf(part: Text): string {
  if (typeof part === "string") return part;
  const text = part.open([]);
  if (text === undefined) throw new NotModelled("bytes that are not UTF-8 in a request");
  return text;
}
