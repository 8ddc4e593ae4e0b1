import { describe, expect, test } from "bun:test";
import { connect, constants, createServer, type OutgoingHttpHeaders } from "node:http2";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { AgentService } from "@svc/agent-protocol";
import { temporaryFolder } from "@svc/testing";
import { boundedHandler } from "./bounded-handler.ts";

const PATH = "/svc.agent.v1.AgentService/Registration";
const call = { ":method": "POST", "content-type": "application/grpc", te: "trailers" };

describe("a request with a :authority or :path of any kind", () => {
  // gRPC answers 200 with a status in any case.
  const rows: Readonly<Record<string, readonly [headers: OutgoingHttpHeaders, status: number]>> = {
    "of a client in Go, with the socket's path": [
      { ":authority": "%2Fvar%2Flib%2Fagent.sock", ":path": PATH },
      200,
    ],
    "that is empty": [{ ":authority": "", ":path": PATH }, 200],
    "with brackets": [{ ":authority": "[::", ":path": PATH }, 200],
    "with an invalid port": [{ ":authority": "agent:99999999", ":path": PATH }, 200],
    "with a path of another host": [{ ":authority": "agent", ":path": "//[/x" }, 400],
    "without one": [{ ":path": PATH }, 200],
    "with a very long path": [{ ":authority": "agent", ":path": `/${"a".repeat(5000)}/x` }, 400],
    "with a query": [{ ":authority": "agent", ":path": `${PATH}?x` }, 400],
  };
  for (const [name, [headers, status]] of Object.entries(rows)) {
    test(`is answered: ${name}`, async () => {
      await using server = await serve();
      expect(await server.ask({ ...call, ...headers })).toBe(status);
      // It goes on.
      expect(await server.ask({ ...call, ":authority": "agent", ":path": PATH })).toBe(200);
    });
  }
});

async function serve() {
  const folder = temporaryFolder();
  const path = join(folder.path, "s");
  const routes = connectNodeAdapter({
    ...{ grpc: true, grpcWeb: false, connect: false },
    routes: (router) =>
      router.service(AgentService, {
        async *registration() {
          yield {};
        },
      }),
  });
  const server = createServer(boundedHandler(routes));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    ask: async (headers: OutgoingHttpHeaders): Promise<number> => {
      const session = connect("http://agent", { createConnection: () => connectSocket(path) });
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      session.on("error", reject);
      const stream = session.request(headers);
      stream.on("response", (answer) => resolve(Number(answer[constants.HTTP2_HEADER_STATUS])));
      stream.on("error", reject);
      stream.end();
      try {
        return await promise;
      } finally {
        session.destroy();
      }
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      folder[Symbol.dispose]();
    },
  };
}
