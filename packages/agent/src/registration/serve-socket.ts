import { createServer } from "node:http2";
import { Code } from "@connectrpc/connect";
import { descriptorLimit } from "@svc/kernel";
import { Admission, limitsWithin } from "./admission.ts";
import type { RegistrationRules } from "./authority.ts";
import { Connections } from "./connections.ts";
import type { SocketListener } from "./open-listener.ts";
import { type CallerFinding, registrationRoutes } from "./registration-routes.ts";
import type { RegistrationContext } from "./registration-stream.ts";
import { SocketGate } from "./socket-gate.ts";

/** A server of registrations. */
export interface RegistrationListener {
  /** How many connections were turned away for want of room. */
  readonly turnedAway: () => number;
  readonly stop: () => Promise<void>;
}

/** The unix socket at which registrations are taken, and the callers that may register. */
export interface SocketOptions {
  /** Closed when the server is stopped. */
  readonly listener: SocketListener;
  readonly rules: RegistrationRules;
}

/** A wrapper says Hello at once. */
const SILENCE_MS = 5_000;

/** Takes registrations at a unix socket, of connections that wait there as well. */
export function serveSocket(
  context: RegistrationContext,
  { listener, rules }: SocketOptions,
): RegistrationListener {
  const admission = new Admission(limitsWithin(descriptorLimit()));
  const server = createServer({ settings: { maxConcurrentStreams: 4 } });
  const connections = new Connections(
    server,
    (session) => gate.admittedAs(session.socket),
    SILENCE_MS,
  );
  const find = (request: Parameters<typeof connections.callerOf>[0]): CallerFinding => {
    const opener = connections.callerOf(request);
    if (opener !== undefined) return { kind: "caller", ...opener };
    return { kind: "refused", code: Code.ResourceExhausted, message: "one stream per connection" };
  };
  server.on("request", registrationRoutes(context, find));
  const gate = new SocketGate({
    ...{ listener: listener.fd, admission, rules, log: context.log },
    onCome: (socket) => void server.emit("connection", socket),
  });
  return {
    turnedAway: () => admission.refused,
    stop: async () => {
      gate.close();
      connections.end();
      listener.removeFile();
    },
  };
}
