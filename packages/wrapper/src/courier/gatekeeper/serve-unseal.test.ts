import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  CANARY_PREFIX,
  type Certificate,
  canary,
  certificateAuthority,
  temporaryFolder,
  waitFor,
} from "@svc/testing";
import type { Secret } from "@svc/vault";
import { type RawOptions, rawSocket, readAnswer, sendRaw } from "../../http/testdata/raw-client.ts";
import { recordLog } from "../../http/testdata/record-log.ts";
import { serveUnseal, type UnsealOptions } from "./serve-unseal.ts";
import type { TokenCheck } from "./unseal-service.ts";

const good = canary();
const wrong = canary();
const everyLine: Record<string, unknown>[] = [];
const everyAnswer: string[] = [];
afterAll(() => {
  // The tokens went in everywhere above, and came out nowhere.
  expect(JSON.stringify(everyLine)).not.toContain(CANARY_PREFIX);
  expect(everyAnswer.join("\n")).not.toContain(CANARY_PREFIX);
  expect(everyAnswer.length).toBeGreaterThan(20);
});

describe("a sealed wrapper's port", () => {
  const rows: readonly (readonly [name: string, request: string, status: number, body: unknown])[] =
    [
      ["is alive", get("/healthz"), 200, { status: "ok" }],
      ["is not ready", get("/readyz"), 503, { status: "sealed", reason: "no token was given" }],
      ["knows no other path", get("/x"), 404, errorOf("NOT_FOUND")],
      ["does not show what it is for", get("/v1/unseal"), 405, errorOf("METHOD_NOT_ALLOWED")],
      ["refuses what is no JSON", unseal("nonsense"), 400, errorOf("MALFORMED_TOKEN_REQUEST")],
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
      [
        "refuses a body of no type",
        unseal(token(wrong), ""),
        415,
        errorOf("UNSUPPORTED_MEDIA_TYPE"),
      ],
      [
        "refuses a type that only begins right",
        unseal(token(wrong), "application/jsonp"),
        415,
        errorOf("UNSUPPORTED_MEDIA_TYPE"),
      ],
      [
        "refuses a body that is too long",
        unseal(token("x".repeat(9000))),
        413,
        errorOf("BODY_TOO_LARGE"),
      ],
      [
        "refuses a token that is too long",
        unseal(token("x".repeat(4097))),
        400,
        errorOf("MALFORMED_TOKEN_REQUEST"),
      ],
      [
        "refuses a token in chunks",
        `POST /v1/unseal HTTP/1.1\r\nHost: p\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
        411,
        errorOf("LENGTH_REQUIRED"),
      ],
      [
        "refuses a token that the vault refuses",
        unseal(token(wrong)),
        403,
        errorOf("TOKEN_REFUSED"),
      ],
      [
        "takes the type's parameters",
        unseal(token(wrong), "Application/JSON; charset=utf-8"),
        403,
        errorOf("TOKEN_REFUSED"),
      ],
    ];
  test("answers what it is asked, and stays sealed", async () => {
    await using port = await openPort();
    for (const [name, request, status, body] of rows) {
      const answer = await port.send(request);
      expect([name, answer.status], answer.text).toEqual([name, status]);
      expect(JSON.parse(answer.body), name).toEqual(body);
    }
    expect((await port.send(get("/metrics"))).body).toBe("svc_wrapper_sealed 1\n");
    expect(port.settled()).toBe(false);
  });

  const ways: readonly (readonly [name: string, pieces: readonly string[], thenEnd: boolean])[] = [
    ["in one piece", [unseal(token(good))], false],
    ["byte by byte", [...unseal(token(good))], false],
    ["by a client that closes its side at once", [unseal(token(good))], true],
    ["over HTTP/1.0", [unseal(token(good)).replace("HTTP/1.1", "HTTP/1.0")], false],
  ];
  for (const [name, pieces, thenEnd] of ways) {
    test(`takes a token that works, ${name}, answers, and is free`, async () => {
      await using port = await openPort();
      const answer = await port.send(pieces, { thenEnd });
      expect([answer.status, answer.body, answer.reset]).toEqual([
        200,
        '{"status":"unsealed"}',
        false,
      ]);
      expect(await port.ended).toEqual({ address: "127.0.0.1", certificateName: undefined });
      expect(port.attempts).toEqual(["accepted"]);
      // The next process listens here.
      Bun.serve({ hostname: "127.0.0.1", port: port.port, fetch: () => new Response() }).stop(true);
    });
  }

  test("frees the port while the client still holds its connection", async () => {
    await using port = await openPort();
    const socket = await rawSocket({ port: port.port });
    socket.on("data", (bytes: Buffer) => void everyAnswer.push(bytes.toString()));
    socket.on("error", () => undefined);
    socket.write(unseal(token(good)));
    await port.ended;
    Bun.serve({ hostname: "127.0.0.1", port: port.port, fetch: () => new Response() }).stop(true);
    expect(everyAnswer.at(-1)).toEndWith('{"status":"unsealed"}');
    socket.destroy();
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
    const answer = await port.send(unseal(token(good)), { localAddress: "127.0.0.2" });
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
    const answer = await port.send(unseal(token(good)), { localAddress: "127.0.0.2" });
    expect(answer.status).toBe(200);
    gate.resolve({ kind: "refused", message: "no", hint: "none" });
    expect([409, 0]).toContain((await slow.catch(() => ({ status: 0 }))).status);
  });

  test("checks one token of an address at a time, and one that follows success is too late", async () => {
    const gate = Promise.withResolvers<TokenCheck>();
    await using port = await openPort({ check: () => gate.promise });
    const first = port.send(unseal(token(good)));
    await waitFor(() => port.checked.length === 1, { deadlineMs: 2000, what: "the check" });
    const second = await port.send(unseal(token(good)));
    expect([second.status, second.headers.get("retry-after")]).toEqual([429, "1"]);
    // These are inside before the port closes.
    const late = await rawSocket({ port: port.port });
    const lateAnswer = readAnswer(late);
    late.write(unseal(token(good)).slice(0, 1));
    await port.send(get("/healthz"));
    gate.resolve({ kind: "accepted" });
    const answered = first.then(({ status }) => status);
    late.write(unseal(token(good)).slice(1));
    expect([(await lateAnswer).status, await answered]).toEqual([409, 200]);
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
    const taken = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
    const opening = openPort({ port: Number(taken.port) });
    await taken.stop(true);
    await using port = await opening;
    expect((await port.send(get("/healthz"))).status).toBe(200);
  });

  test("ends when it is told to", async () => {
    const ending = new AbortController();
    await using port = await openPort({ signal: ending.signal });
    ending.abort(new RangeError("enough"));
    await expect(port.ended).rejects.toThrow("enough");
    await expect(rawSocket({ port: port.port })).rejects.toThrow();
  });
});

describe("a sealed wrapper's port with mutual TLS", async () => {
  const folder = temporaryFolder();
  afterAll(() => folder[Symbol.dispose]());
  const [authority, stranger] = await Promise.all([certificateAuthority(), certificateAuthority()]);
  const [own, deployer, intruder, late] = await Promise.all([
    authority.issue(),
    authority.issue({ names: ["deployer"] }),
    stranger.issue({ names: ["intruder"] }),
    authority.issue({ names: ["late"], expiresMs: Date.now() - 1000 }),
  ]);
  const at = (name: string) => join(folder.path, name);
  writeFileSync(at("tls.crt"), own.certificatePem);
  writeFileSync(at("tls.key"), own.keyPem);
  writeFileSync(at("ca.crt"), authority.certificatePem);
  const tls = { certPath: at("tls.crt"), keyPath: at("tls.key"), clientCaPath: at("ca.crt") };
  const ca = authority.certificatePem;
  const shown = ({ certificatePem, keyPem }: Certificate) => ({
    ca,
    cert: certificatePem,
    key: keyPem,
  });

  const clients = [
    { name: "no certificate", tls: { ca } },
    { name: "a certificate of another CA", tls: shown(intruder) },
    { name: "a certificate that has expired", tls: shown(late) },
  ];
  for (const client of clients) {
    test(`a client with ${client.name} may probe and not unseal`, async () => {
      await using port = await openPort({ tls });
      for (const [path, status] of [
        ["/healthz", 200],
        ["/readyz", 503],
        ["/metrics", 200],
      ] as const) {
        expect((await port.send(get(path), { tls: client.tls })).status).toBe(status);
      }
      const answer = await port.send(unseal(token(good)), { tls: client.tls });
      expect([answer.status, JSON.parse(answer.body)]).toEqual([
        403,
        errorOf("CLIENT_CERTIFICATE_REQUIRED"),
      ]);
      expect([port.attempts, port.checked]).toEqual([["unverified"], []]);
    });
  }

  test("takes a token from a client with a certificate, and says whose it was", async () => {
    await using port = await openPort({ tls });
    const answer = await port.send([...unseal(token(good))], { tls: shown(deployer) });
    expect([answer.status, answer.body]).toEqual([200, '{"status":"unsealed"}']);
    expect(await port.ended).toEqual({ address: "127.0.0.1", certificateName: "deployer" });
  });

  test("without a client CA everybody may", async () => {
    const { clientCaPath, ...plain } = tls;
    await using port = await openPort({ tls: plain });
    expect((await port.send(unseal(token(good)), { tls: { ca } })).status).toBe(200);
    await port.ended;
  });
});

interface Port extends AsyncDisposable {
  readonly port: number;
  readonly ended: Promise<unknown>;
  readonly settled: () => boolean;
  readonly attempts: string[];
  readonly checked: Secret[];
  readonly send: (
    pieces: string | readonly string[],
    options?: Omit<RawOptions, "port">,
  ) => ReturnType<typeof sendRaw>;
}

interface PortOptions extends Partial<Pick<UnsealOptions, "check" | "signal">> {
  readonly port?: number;
  readonly tls?: NonNullable<UnsealOptions["settings"]["tls"]>;
}

/** A gatekeeper whose vault accepts one token. */
async function openPort(options: PortOptions = {}): Promise<Port> {
  const { tls, check = acceptGood, signal } = options;
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
    port: Number(port),
    ended,
    settled: () => settled,
    attempts,
    checked,
    send: async (pieces, how = {}) => {
      const answer = await sendRaw(pieces, { port: Number(port), ...how });
      everyAnswer.push(answer.text);
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

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: pod\r\n\r\n`;
}

function token(text: string): string {
  return JSON.stringify({ token: text });
}

function unseal(body: string, type = "application/json"): string {
  const length = Buffer.byteLength(body);
  const typeLine = type === "" ? "" : `Content-Type: ${type}\r\n`;
  return `POST /v1/unseal HTTP/1.1\r\nHost: pod\r\n${typeLine}Content-Length: ${length}\r\n\r\n${body}`;
}

function errorOf(code: string) {
  return {
    error: expect.objectContaining({ code, message: expect.any(String), hint: expect.any(String) }),
  };
}
