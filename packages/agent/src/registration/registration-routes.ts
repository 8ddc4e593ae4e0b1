import { Code, ConnectError, createContextKey, createContextValues } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { AgentService } from "@svc/agent-protocol";
import { boundedHandler, type GrpcHandler, type GrpcRequest } from "../grpc/bounded-handler.ts";
import type { CallerOpener } from "./connections.ts";
import { type RegistrationContext, registrationStream } from "./registration-stream.ts";

/** The sender of a request, or the reason for its refusal. */
export type CallerFinding =
  | ({ readonly kind: "caller" } & CallerOpener)
  | { readonly kind: "refused"; readonly code: Code; readonly message: string };

/** The headers of a request, and its connection. */
export type AgentRequest = GrpcRequest;

const MOST_MESSAGE_BYTES = 16 * 1024;

/** Serves `AgentService` to the callers that `find` admits. */
export function registrationRoutes(
  context: RegistrationContext,
  find: (request: AgentRequest) => CallerFinding | Promise<CallerFinding>,
): GrpcHandler {
  const key = createContextKey<CallerFinding | Promise<CallerFinding> | undefined>(undefined);
  const routes = connectNodeAdapter({
    grpc: true,
    grpcWeb: false,
    connect: false,
    readMaxBytes: MOST_MESSAGE_BYTES,
    contextValues: (request) => createContextValues().set(key, find(request)),
    routes: (router) =>
      router.service(AgentService, {
        async *registration(requests, { values }) {
          const finding = await values.get(key);
          if (finding?.kind !== "caller") throw refusal(finding);
          const caller = finding.open();
          const { greeted } = finding;
          if (caller === undefined) return;
          yield* registrationStream({ ...context, greeted }, caller, requests);
        },
      }),
  });
  return boundedHandler(routes);
}

function refusal(
  finding: Extract<CallerFinding, { readonly kind: "refused" }> | undefined,
): ConnectError {
  return new ConnectError(finding?.message ?? "who is it", finding?.code ?? Code.Unauthenticated);
}
