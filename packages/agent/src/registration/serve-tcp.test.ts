import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { canary, certificateAuthority, temporaryFolder, waitFor } from "@svc/testing";
import { AgentError } from "../agent-error.ts";
import { openStream } from "../testdata/agent-client.ts";
import { recordingMarks } from "../testdata/recording-marks.ts";
import { Registry } from "./registry.ts";
import { serveRegistrations } from "./serve-registrations.ts";
import type { TcpOptions } from "./serve-tcp.ts";
import { watchNoTokens } from "./token-watch.ts";

const folder = temporaryFolder();
const token = canary();
const podUid = "12345678-1234-1234-1234-123456789abc";
const certPath = join(folder.path, "tls.crt");
const keyPath = join(folder.path, "tls.key");
let ca = "";
let next: () => Promise<void>;
beforeAll(async () => {
  const authority = await certificateAuthority("svc test");
  ca = authority.certificatePem;
  next = async () => {
    const { certificatePem, keyPem } = await authority.issue();
    writeFileSync(certPath, certificatePem);
    writeFileSync(keyPath, keyPem);
  };
  await next();
});
afterAll(() => folder[Symbol.dispose]());

const reviewToken = async (given: string) => {
  if (given === token) return podUid;
  throw new AgentError("REGISTRATION_UNPROVEN", "review a wrapper's token: it is another one");
};

async function serve(tcp: Partial<TcpOptions> = {}) {
  const log: string[] = [];
  const tier = { enforcement: "tracing", capabilities: [] } as const;
  const server = await serveRegistrations({
    ...{ sockets: [], rules: { users: [], units: [] }, marks: recordingMarks() },
    ...{ registry: new Registry(), tokens: watchNoTokens("a test") },
    identity: { version: "1.2.3", bootId: "boot" },
    ...{ log: (_level, message) => void log.push(message), onTraced: () => undefined },
    tier: { current: () => tier, onChange: () => () => undefined },
    tcp: { host: "127.0.0.1", port: 0, tls: { certPath, keyPath }, reviewToken, ...tcp },
  });
  const port = server.tcpPort ?? 0;
  return {
    ...{ log, port, baseUrl: `https://127.0.0.1:${port}` },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** The first answer to a wrapper of a pod, or the error. */
async function answerTo(reach: Parameters<typeof openStream>[0]): Promise<string> {
  await using client = openStream(reach);
  client.send({ case: "hello", value: { wrapperVersion: "1", podUid } });
  return await client.next().then((message) => String(message?.case), String);
}

describe("a caller over TCP", () => {
  test("is taken with a token that the API server knows", async () => {
    await using server = await serve();
    expect(await answerTo({ baseUrl: server.baseUrl, ca, token })).toBe("welcome");
  });

  const rows = [
    ["another token", { token: "another" }, "it is another one"],
    ["no token", {}, "neither a token that can be reviewed nor a client certificate"],
  ] as const;
  for (const [name, given, message] of rows) {
    test(`is refused with ${name}`, async () => {
      await using server = await serve();
      expect(await answerTo({ baseUrl: server.baseUrl, ca, ...given })).toContain(message);
    });
  }

  test("is refused with a token if no API server can be asked", async () => {
    await using server = await serve({ reviewToken: undefined as never });
    expect(await answerTo({ baseUrl: server.baseUrl, ca, token })).toContain("neither a token");
  });

  test("gets the new certificate when its files have changed, and the old one until then", async () => {
    await using server = await serve();
    writeFileSync(keyPath, "no key");
    const told = (text: string) => server.log.some((line) => line.includes(text));
    const soon = { deadlineMs: 30_000, what: "the look at the files" };
    await waitFor(() => told("the old certificate stays"), soon);
    expect(await answerTo({ baseUrl: server.baseUrl, ca, token })).toBe("welcome");
    await next();
    await waitFor(() => told("have a new certificate"), soon);
    expect(await answerTo({ baseUrl: server.baseUrl, ca, token })).toBe("welcome");
  }, 90_000);
});

describe("registrations over TCP cannot be taken", () => {
  const codeOf = (tcp: Partial<TcpOptions>) =>
    serve(tcp).then(
      async (server) => {
        await server[Symbol.asyncDispose]();
        return "served";
      },
      (error: unknown) => error,
    );

  test("at an address that another process has", async () => {
    await using server = await serve();
    expect(await codeOf({ port: server.port })).toMatchObject({
      code: "REGISTRATION_ADDRESS_UNUSABLE",
      message: expect.stringContaining(`take registrations at 127.0.0.1:${server.port}: `),
    });
  });

  test("without the file of the certificate", async () => {
    const tls = { certPath: "/nowhere.crt", keyPath };
    expect(await codeOf({ tls })).toMatchObject({
      code: "REGISTRATION_TLS_UNUSABLE",
      message: expect.stringContaining('read "/nowhere.crt": ENOENT'),
    });
  });

  test("with a text that is not a certificate", async () => {
    const path = join(folder.path, "text");
    writeFileSync(path, "no certificate");
    expect(await codeOf({ tls: { certPath: path, keyPath } })).toMatchObject({
      code: "REGISTRATION_TLS_UNUSABLE",
      message: expect.stringContaining("use the certificate: "),
    });
  });
});
