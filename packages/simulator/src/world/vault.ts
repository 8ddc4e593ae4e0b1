import { handle, newState, type RandomNames, type StoreState } from "@svc/devstore";
import type { Network, Outcome, Request } from "../host/network.ts";
import type { Machine } from "../machine/machine.ts";
import { Random } from "../machine/random.ts";

/** A way in which a request fails. */
export type Trouble =
  | { readonly kind: "refused" }
  | { readonly kind: "silent" }
  | { readonly kind: "closed"; readonly answered: boolean }
  | { readonly kind: "answer"; readonly body: object }
  | {
      readonly kind: "status";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: "garbage" };

/** A vault on the simulated network: the development store, with delays and faults. */
export class Vault implements Network {
  readonly state: StoreState;
  /** A node that has the first versions; it answers a read if `isBehind` says so. */
  readonly #standby: StoreState;
  isBehind: () => boolean = () => false;
  readonly #machine: Machine;
  /** The trouble of the next request, if it has one; called for each. */
  trouble: (request: Request) => Trouble | undefined = () => undefined;
  /** The longest time of an answer. */
  slowestUs = 20_000;
  /** Hears of each request. */
  onRequest: ((request: Request) => void) | undefined;
  #requests = 0;

  constructor(machine: Machine, options: Parameters<typeof newState>[0]) {
    this.#machine = machine;
    this.state = newState(options, machine.wallMs, namesOf(machine.random));
    const standby = newState(options, machine.wallMs, namesOf(new Random(0)));
    this.#standby = { ...standby, tokens: this.state.tokens };
  }

  /** Answers a request of the test itself, at once. */
  ask(method: string, path: string, body: object | undefined, token = this.state.rootToken) {
    const text = body === undefined ? "" : JSON.stringify(body);
    const headers = [["x-vault-token", token]] as const;
    const request = { method, url: `http://vault/v1/${path}`, headers, body: text };
    return this.#answer(request, this.state);
  }

  send(_from: unknown, request: Request, done: (outcome: Outcome) => void): () => void {
    const machine = this.#machine;
    const number = ++this.#requests;
    const note = (text: string) => machine.trace.note(`vault: ${number} ${text}`);
    note(`${request.method} ${new URL(request.url).pathname}`);
    this.onRequest?.(request);
    const trouble = this.trouble(request);
    if (trouble !== undefined) note(trouble.kind);
    let isCancelled = false;
    const later = (us: number, outcome: () => Outcome) =>
      machine.after(us, () => {
        if (!isCancelled) done(outcome());
      });
    const us = machine.random.between(300, this.slowestUs);
    switch (trouble?.kind) {
      case "silent":
        break;
      case "refused":
        later(200, () => ({ kind: "fault", fault: "refused", answered: false }));
        break;
      case "closed":
        // The vault may have done its work before.
        later(us, () => {
          if (trouble.answered) this.#answer(request, this.state);
          return { kind: "fault", fault: "closed", answered: trouble.answered };
        });
        break;
      case "status":
        later(us, () => ({
          ...{ kind: "answer", status: trouble.status, headers: trouble.headers ?? {} },
          body: JSON.stringify({ errors: ["trouble"] }),
        }));
        break;
      case "answer":
        later(us, () => ({
          ...{ kind: "answer", status: 200, headers: {} },
          body: JSON.stringify(trouble.body),
        }));
        break;
      case "garbage":
        later(us, () => ({
          kind: "answer",
          status: 200,
          headers: {},
          body: "<html>no vault</html>",
        }));
        break;
      default:
        later(us, () => this.#answer(request, this.#nodeFor(request)));
    }
    return () => {
      isCancelled = true;
    };
  }

  /** Writes go to the active node. */
  #nodeFor({ method, url }: Request): StoreState {
    const isRead = method === "GET" && new URL(url).pathname.startsWith("/v1/secret/");
    return isRead && this.isBehind() ? this.#standby : this.state;
  }

  #answer(
    { method, url, headers, body }: Request,
    node: StoreState,
  ): Outcome & { readonly kind: "answer" } {
    const { pathname, searchParams } = new URL(url);
    const header = (name: string) => headers.find(([found]) => found === name)?.[1] ?? "";
    const response = handle(
      {
        ...{ method, body },
        path: decodeURIComponent(pathname.slice("/v1/".length)),
        query: new Map(searchParams),
        token: header("x-vault-token"),
        namespace: header("x-vault-namespace"),
        wrap: header("x-vault-wrap-ttl") !== "",
        contentType: header("content-type"),
      },
      node,
      Math.floor(this.#machine.wallMs),
    );
    return { kind: "answer", status: response.status, headers: {}, body: response.body ?? "" };
  }
}

function namesOf(random: Random): RandomNames {
  const hex = (count: number) =>
    Array.from({ length: count }, () => random.between(0, 15).toString(16)).join("");
  return {
    uuid: () => `${hex(8)}-${hex(4)}-${hex(4)}-${hex(4)}-${hex(12)}`,
    letters: () => hex(24),
    key: () => hex(44),
  };
}
