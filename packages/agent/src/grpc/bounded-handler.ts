import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";

/** A request as node:http2 has it, or node:http. */
export type GrpcRequest = IncomingMessage | Http2ServerRequest;

/** Answers requests. */
export type GrpcHandler = (
  request: GrpcRequest,
  response: ServerResponse | Http2ServerResponse,
) => void;

const BAD_REQUEST = 400;
const pathForm = /^\/[\w.]{1,200}\/\w{1,100}$/;

/**
 * Rejects requests that would make the handler throw, which would end the agent: connect-node makes
 * a URL of `:authority` and `:path`, and throws if that is invalid. gRPC asks nothing of
 * `:authority` that a server has to heed, and clients of unix sockets send any text, the kubelet
 * the escaped path of the socket.
 */
export function boundedHandler(handler: GrpcHandler): GrpcHandler {
  return (request, response) => {
    if (!pathForm.test(request.url ?? "")) {
      response.statusCode = BAD_REQUEST;
      response.end();
      return;
    }
    Object.defineProperty(request, "authority", { value: "agent" });
    handler(request, response);
  };
}
