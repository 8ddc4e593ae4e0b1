import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import {
  canary,
  certificateAuthority,
  freePort,
  needsRoot,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";
import { secretPlaces } from "./secret-places.ts";

// A client that brings a token may stop in the middle of its request. The part that has come is
// nowhere but in pages that are locked and in no core dump.

const { store, environment } = oneSecretStore();
const folder = temporaryFolder();
chmodSync(folder.path, 0o755);
const at = (name: string) => join(folder.path, name);
const authority = await certificateAuthority();
const server = await authority.issue();
writeFileSync(at("server.pem"), server.certificatePem, { mode: 0o644 });
writeFileSync(at("server.key"), server.keyPem, { mode: 0o644 });
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

const tls = { SVC_BROKER_TLS_CERT: at("server.pem"), SVC_BROKER_TLS_KEY: at("server.key") };
const head = (length: number) =>
  `POST /v1/unseal HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${length}\r\n\r\n`;
/** The parts in which a request comes; the last one is never sent. */
const ways: Readonly<Record<string, (body: string) => readonly string[]>> = {
  "with its head": (body) => [head(body.length + 1) + body, "}"],
  "after its head": (body) => [head(body.length + 1), body, "}"],
  "in two parts": (body) => [head(body.length + 1) + body.slice(0, 40), body.slice(40), "}"],
};
const surroundings = {
  "of root": [],
  "within 64 KiB of locked memory": ["-l", "memlock=65536", ...unprivileged],
};

needsRoot(describe)("a token whose request stands still", () => {
  for (const [way, parts] of Object.entries(ways)) {
    for (const [scheme, more] of Object.entries({ http: {}, https: tls })) {
      for (const [where, startsAs] of Object.entries(surroundings)) {
        test(`${way}, over ${scheme}, ${where}`, async () => {
          const port = freePort();
          await using wrapper = await startWrapper({
            program: ["/bin/true"],
            environment: {
              ...environment,
              ...more,
              VAULT_TOKEN: "",
              VAULT_AUTH_METHOD: "token",
              SVC_REQUIRE_MLOCK: "true",
              HEALTH_ADDR: `127.0.0.1:${port}`,
            },
            startsAs,
          });
          await wrapper.says("waiting for POST /v1/unseal");
          const token = canary();
          using client = await clientOf(port, scheme === "https");
          // The courier of the start may still be dying: the one that listens is younger.
          const unsealing = childrenOf(wrapper.pid).at(-1) ?? 0;
          for (const part of parts(`{"token":"${token}"`).slice(0, -1)) await client.send(part);
          const wanted = { token: Buffer.from(token.slice(0, 24)) };
          const places = () => secretPlaces(unsealing, wanted);
          await waitFor(() => places().length > 0, { deadlineMs: 20_000, what: "the token" });
          const found = places();
          expect(found.filter(({ locked, undumped }) => !locked || !undumped)).toEqual([]);
          expect(secretPlaces(wrapper.pid, wanted)).toEqual([]);
        });
      }
    }
  }
});

interface HoldingClient extends Disposable {
  readonly send: (part: string) => Promise<void>;
}

async function clientOf(port: number, withTls: boolean): Promise<HoldingClient> {
  const connected = Promise.withResolvers<void>();
  const options = {
    host: "127.0.0.1",
    port,
    ca: authority.certificatePem,
    servername: "localhost",
  };
  const socket: Socket = withTls
    ? connectTls(options, connected.resolve)
    : connect(options, connected.resolve);
  socket.on("error", connected.reject);
  await connected.promise;
  return {
    send: (part) => new Promise((sent) => void socket.write(part, () => sent())),
    [Symbol.dispose]: () => socket.destroy(),
  };
}
