import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CANARY_PREFIX, canary, temporaryFolder, waitFor } from "@svc/testing";
import type { Secret } from "@svc/vault";
import type { Client } from "../../http/http-service.ts";
import { type Answered, FakeServers, type Question } from "../../http/testdata/fake-servers.ts";
import { recordLog } from "../../http/testdata/record-log.ts";
import { serveUnseal, type UnsealOptions } from "./serve-unseal.ts";
import type { TokenCheck } from "./unseal-service.ts";

const good = canary();
const wrong = canary();
const other: Client = { address: "127.0.0.2", certificateName: undefined };
const everyLine: Record<string, unknown>[] = [];
const everyAnswer: string[] = [];
afterAll(() => {
  // The tokens went in everywhere above, and came out nowhere.
  expect(JSON.stringify(everyLine)).not.toContain(CANARY_PREFIX);
  expect(everyAnswer.join("\n")).not.toContain(CANARY_PREFIX);
  expect(everyAnswer.length).toBeGreaterThan(20);
});

describe("a sealed wrapper's port", () => {
  const rows: readonly (readonly [
    name: string,
    request: Question,
    status: number,
    body: unknown,
  ])[] = [
    ["is alive", get("/healthz"), 200, { status: "ok" }],
    ["is not ready", get("/readyz"), 503, { status: "sealed", reason: "no token was given" }],
    ["knows no other path", get("/x"), 404, errorOf("NOT_FOUND")],
    ["refuses GET", get("/v1/unseal"), 405, errorOf("METHOD_NOT_ALLOWED")],
    [
      "refuses a body that is not JSON",
      unseal("nonsense"),
      400,
      errorOf("MALFORMED_TOKEN_REQUEST"),
    ],
    ["refuses an empty body", unseal(""), 400, errorOf("MALFORMED_TOKEN_REQUEST")],
    [
      "says everything that is wrong",
      unseal(`{"ttl":1,"token":"${wrong} "}`),
      400,
      {
        error: expect.objectContaining({
          problems: [
            "ttl: is not known: only token is",
            "token: must be visible ASCII without blanks",
          ],
        }),
      },
    ],
    [
      "refuses a form",
      unseal(`token=${wrong}`, "application/x-www-form-urlencoded"),
      415,
      errorOf("UNSUPPORTED_MEDIA_TYPE"),
    ],
    ["refuses a body of no type", unseal(token(wrong), ""), 415, errorOf("UNSUPPORTED_MEDIA_TYPE")],
    [
      "refuses a type that only begins right",
      unseal(token(wrong), "application/jsonp"),
      415,
      errorOf("UNSUPPORTED_MEDIA_TYPE"),
    ],
    [
      "refuses a token that is too long",
      unseal(token("x".repeat(4097))),
      400,
      errorOf("MALFORMED_TOKEN_REQUEST"),
    ],
    ["refuses a token that the vault refuses", unseal(token(wrong)), 403, errorOf("TOKEN_REFUSED")],
    [
      "takes the type's parameters",
      unseal(token(wrong), "Application/JSON; charset=utf-8"),
      403,
      errorOf("TOKEN_REFUSED"),
    ],
  ];
  test("answers requests, and stays sealed", async () => {
    await using port = await openPort();
    for (const [name, request, status, body] of rows) {
      const answer = await port.send(request);
      expect([name, answer.status], answer.body).toEqual([name, status]);
      expect(JSON.parse(answer.body), name).toEqual(body);
    }
    expect((await port.send(get("/metrics"))).body).toBe("svc_wrapper_sealed 1\n");
    expect(port.settled()).toBe(false);
  });

  test("takes a token that works, answers, and frees the port", async () => {
    await using port = await openPort();
    const answer = await port.send(unseal(token(good)));
    expect([answer.status, answer.body]).toEqual([200, '{"status":"unsealed"}']);
    expect(await port.ended).toEqual({ address: "127.0.0.1", certificateName: undefined });
    expect(port.attempts).toEqual(["accepted"]);
    expect(port.isOpen()).toBe(false);
  });

  test("after five refusals an address waits ten seconds, also with the right token", async () => {
    await using port = await openPort();
    for (let tries = 0; tries < 5; tries += 1) {
      expect((await port.send(unseal(token(wrong)))).status).toBe(403);
    }
    const answer = await port.send(unseal(token(good)));
    expect([answer.status, JSON.parse(answer.body)]).toEqual([429, errorOf("TOO_MANY_TRIES")]);
    expect(Number(answer.headers.get("retry-after"))).toBeWithin(9, 11);
    expect(port.checked).toHaveLength(5);
  });

  test("wrong tokens of one address keep no other one out", async () => {
    await using port = await openPort();
    for (let tries = 0; tries < 20; tries += 1) await port.send(unseal(token(wrong)));
    const answer = await port.send(unseal(token(good)), other);
    expect([answer.status, answer.body]).toEqual([200, '{"status":"unsealed"}']);
  });

  test("a check of one address keeps no other one waiting", async () => {
    const gate = Promise.withResolvers<TokenCheck>();
    let checks = 0;
    const check = async (secret: Secret) => {
      checks += 1;
      return checks === 1 ? gate.promise : acceptGood(secret);
    };
    await using port = await openPort({ check });
    const slow = port.send(unseal(token(wrong)));
    await waitFor(() => checks === 1, { deadlineMs: 2000, what: "the check" });
    const answer = await port.send(unseal(token(good)), other);
    expect(answer.status).toBe(200);
    gate.resolve({ kind: "refused", message: "no", hint: "none" });
    expect((await slow).status).toBe(409);
  });

  test("checks one token of an address at a time, and one that follows success is too late", async () => {
    const gate = Promise.withResolvers<TokenCheck>();
    await using port = await openPort({ check: () => gate.promise });
    const first = port.send(unseal(token(good)));
    await waitFor(() => port.checked.length === 1, { deadlineMs: 2000, what: "the check" });
    const second = await port.send(unseal(token(good)));
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "1"]);
    gate.resolve({ kind: "accepted" });
    // It is inside before the port closes.
    const late = await port.send(unseal(token(good)), other);
    expect([late.status, (await first).status]).toEqual([409, 200]);
    await port.ended;
  });

  test("says that the vault cannot be asked, and when to try again", async () => {
    const outage = { kind: "unavailable", message: "vault: is sealed", hint: "unseal it" } as const;
    await using port = await openPort({ check: async () => outage });
    const answer = await port.send(unseal(token(good)));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(JSON.parse(answer.body).error).toEqual({
      code: "VAULT_UNAVAILABLE",
      message: "vault: is sealed",
      hint: "unseal it",
    });
  });

  test("says nothing of a check that throws", async () => {
    const check = async () => {
      throw new RangeError(`on purpose, with ${good}`);
    };
    await using port = await openPort({ check });
    expect((await port.send(unseal(token(good)))).status).toBe(503);
  });

  test("waits for a port that is in use", async () => {
    const servers = new FakeServers();
    const silent = { answerHead: () => undefined, answerBody: () => Promise.reject() };
    const where = { host: "127.0.0.1", port: 8200, spared: [] };
    const taken = servers.open({ ...where, service: silent });
    const opening = openPort({ port: taken.port, servers });
    taken.stop();
    await using port = await opening;
    expect((await port.send(get("/healthz"))).status).toBe(200);
  });

  test("ends when it is told to", async () => {
    const ending = new AbortController();
    await using port = await openPort({ signal: ending.signal });
    ending.abort(new RangeError("enough"));
    await expect(port.ended).rejects.toThrow("enough");
    expect(port.isOpen()).toBe(false);
  });
});

describe("a sealed wrapper's port with mutual TLS", () => {
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  const at = (name: string) => join(folder.path, name);
  for (const [name, kind] of [
    ["tls.crt", "CERTIFICATE"],
    ["tls.key", "PRIVATE KEY"],
    ["ca.crt", "CERTIFICATE"],
  ] as const) {
    writeFileSync(at(name), `-----BEGIN ${kind}-----\nown`);
  }
  const tls = { certPath: at("tls.crt"), keyPath: at("tls.key"), clientCaPath: at("ca.crt") };

  test("a client without a verified certificate may probe and not unseal", async () => {
    await using port = await openPort({ tls });
    for (const [path, status] of [
      ["/healthz", 200],
      ["/readyz", 503],
      ["/metrics", 200],
    ] as const) {
      expect((await port.send(get(path))).status).toBe(status);
    }
    const answer = await port.send(unseal(token(good)));
    expect([answer.status, JSON.parse(answer.body)]).toEqual([
      403,
      errorOf("CLIENT_CERTIFICATE_REQUIRED"),
    ]);
    expect([port.attempts, port.checked]).toEqual([["unverified"], []]);
  });

  test("takes a token from a client with a certificate, and says whose it was", async () => {
    await using port = await openPort({ tls });
    const deployer = { address: "127.0.0.1", certificateName: "deployer" };
    const answer = await port.send(unseal(token(good)), deployer);
    expect([answer.status, answer.body]).toEqual([200, '{"status":"unsealed"}']);
    expect(await port.ended).toEqual(deployer);
  });

  test("without a client CA every client may", async () => {
    const { clientCaPath, ...plain } = tls;
    await using port = await openPort({ tls: plain });
    expect((await port.send(unseal(token(good)))).status).toBe(200);
    await port.ended;
  });
});

interface Port extends AsyncDisposable {
  readonly isOpen: () => boolean;
  readonly ended: Promise<unknown>;
  readonly settled: () => boolean;
  readonly attempts: string[];
  readonly checked: Secret[];
  readonly send: (question: Question, client?: Client) => Promise<Answered>;
}

interface PortOptions extends Partial<Pick<UnsealOptions, "check" | "signal">> {
  readonly port?: number;
  readonly servers?: FakeServers;
  readonly tls?: NonNullable<UnsealOptions["settings"]["tls"]>;
}

/** An unseal server whose vault accepts one token. */
async function openPort(options: PortOptions = {}): Promise<Port> {
  const { tls, check = acceptGood, servers = new FakeServers(), signal } = options;
  const { log, lines } = recordLog();
  const attempts: string[] = [];
  const checked: Secret[] = [];
  const ending = new AbortController();
  const settings = { host: "127.0.0.1", port: options.port ?? 0, ...(tls && { tls }) };
  let settled = false;
  const ended = serveUnseal({
    settings,
    view: {
      readiness: () => ({ status: "sealed", reason: "no token was given" }),
      metrics: () => "svc_wrapper_sealed 1\n",
    },
    check: (secret) => {
      checked.push(secret);
      return check(secret);
    },
    onAttempt: (attempt) => void attempts.push(attempt),
    log,
    openHttpServer: servers.open,
    signal: AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]),
  }).finally(() => {
    settled = true;
    everyLine.push(...lines);
  });
  ended.catch(() => undefined);
  const port = await waitFor(
    () => lines.map((line) => line["port"]).find((found) => typeof found === "number"),
    { deadlineMs: 5000, what: "the port" },
  );
  return {
    isOpen: () => servers.isOpen(Number(port)),
    ended,
    settled: () => settled,
    attempts,
    checked,
    send: async (question, client) => {
      const answer = await servers.ask(Number(port), question, client);
      everyAnswer.push(answer.body, ...answer.headers.values());
      return answer;
    },
    [Symbol.asyncDispose]: async () => {
      ending.abort(new Error("the test is over"));
      await ended.catch(() => undefined);
    },
  };
}

async function acceptGood(secret: Secret): Promise<TokenCheck> {
  const bytes = Buffer.alloc(secret.byteLength);
  secret.writeTo(bytes);
  return bytes.toString() === good
    ? { kind: "accepted" }
    : { kind: "refused", message: "lookup-self: permission denied", hint: "bring another one" };
}

function get(path: string): Question {
  return { path };
}

function token(text: string): string {
  return JSON.stringify({ token: text });
}

function unseal(body: string, type = "application/json"): Question {
  const headers = type === "" ? undefined : { "content-type": type };
  return { method: "POST", path: "/v1/unseal", ...(headers && { headers }), body };
}

function errorOf(code: string) {
  return {
    error: expect.objectContaining({ code, message: expect.any(String), hint: expect.any(String) }),
  };
}
