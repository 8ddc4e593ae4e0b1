import { secretBytesFrom } from "@svc/secret-bytes";
import { Handle } from "../machine/descriptions.ts";
import { errno } from "../machine/errors.ts";
import type { Machine } from "../machine/machine.ts";
import type { Listener, Visit } from "./network.ts";
import type { ScriptState } from "./script-state.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly onGone?: () => void;
}

/** The wrapper's server; svc-engine-http-server.d.ts. */
interface ServerOptions {
  readonly host: string;
  readonly port: number;
  readonly tls?: { readonly certificate: string; readonly clientCa?: string };
  answerHead(head: object, client: object): Answer | undefined;
  answerBody(head: object, body: unknown, client: object, answer: (answer: Answer) => void): void;
}

const FIRST_FREE_PORT = 30_000;
const encoder = new TextEncoder();

/** The host's HTTP server. Connections, limits and TLS are not modelled: each visit is a request. */
export function httpServer(
  machine: Machine,
  listeners: Map<number, Listener>,
  state: () => ScriptState,
) {
  return {
    openHttpServer(options: ServerOptions) {
      const { process, loop } = state();
      let { port } = options;
      if (port === 0) for (port = FIRST_FREE_PORT; listeners.has(port); ) port++;
      const isTaken = listeners.get(port)?.process.isAlive === true;
      const refusal = machine.atCall?.("listen") ?? (isTaken ? "EADDRINUSE" : undefined);
      if (refusal !== undefined)
        throw Object.assign(new Error("listen"), { errno: errno[refusal] });
      const fd = process.open(new Handle("socket:"), true);
      const listener: Listener = {
        process,
        visit(visit, done) {
          // execve(2) has closed the socket.
          if (process.program !== loop) {
            listeners.delete(port);
            done(undefined);
            return;
          }
          loop.settle(() =>
            answer(options, visit, (given) => {
              // It may have ended in the midst of an answer: its code cannot know that.
              done(process.isAlive ? given : undefined);
              // The client leaves with its answer.
              if (given.onGone !== undefined) loop.settle(given.onGone);
            }),
          );
        },
      };
      listeners.set(port, listener);
      noteTls(machine, options.tls);
      loop.requests++;
      const close = () => {
        if (listeners.get(port) !== listener) return;
        listeners.delete(port);
        loop.requests--;
        if (process.descriptors.includes(fd)) process.close(fd);
      };
      const unchanged = () => undefined;
      const changeTls = (tls: ServerOptions["tls"]) => noteTls(machine, tls);
      const rest = { changeTls, forget: unchanged, close, stop: close };
      return { address: options.host, port, ...rest };
    },
  };
}

/** The certificates of a server: it shows them, and no key. */
function noteTls({ trace }: Machine, tls: ServerOptions["tls"]): void {
  if (tls === undefined) return;
  const { certificate, clientCa = "no CA" } = tls;
  const words = `with ${certificate}, for clients of ${clientCa}`.replaceAll("\n", " ");
  trace.note(`host: supervisor serves TLS ${words}`);
}

function answer(options: ServerOptions, visit: Visit, done: (answer: Answer) => void): void {
  const body = encoder.encode(visit.body);
  const { method, path, headers, address } = visit;
  const head = { method, path, headers, bodyLength: body.length };
  const client = { address, certificateName: undefined };
  const early = options.answerHead(head, client);
  if (early !== undefined) done(early);
  else options.answerBody(head, secretBytesFrom(body), client, done);
}
