import { describe, expect, mock, test } from "bun:test";
import type { HttpRequest as HostRequest, HttpResponse as HostResponse } from "svc:engine";
import { closed } from "../../test/closed.ts";
import { type HttpRequest, type Transport, TransportError } from "../http/transport.ts";

// the host's side, as svc-engine.d.ts declares it.
let sent: HostRequest | undefined;
let pending = Promise.withResolvers<HostResponse>();
// Every test of the process has to name the same exports.
await mock.module("svc:engine", () => ({
  SecretBytes: {},
  hmacSha256: undefined,
  openHttpServer: undefined,
  sendHttp: (request: HostRequest) => {
    sent = request;
    pending = Promise.withResolvers();
    const fault = Object.assign(new Error("aborted"), { fault: "aborted", answered: false });
    return { response: pending.promise, abort: () => pending.reject(fault) };
  },
}));
const { transport }: { transport: Transport } = await import("./http-transport.ts");

const request = (signal: AbortSignal = new AbortController().signal): HttpRequest => ({
  method: "GET",
  url: "https://vault.test/",
  headers: [],
  body: undefined,
  tls: { skipVerify: false, ca: undefined, serverName: "vault" },
  maxBytes: 1,
  ownConnection: true,
  signal,
});

describe("the engine's transport", () => {
  test("asks the host, with nothing in place of undefined", async () => {
    const asked = transport(request());
    pending.resolve({ status: 204, headers: { "retry-after": "1" }, body: closed("") } as never);
    const answer = await asked;
    expect([answer.status, answer.header("retry-after"), answer.header("x")]).toEqual([
      204,
      "1",
      undefined,
    ]);
    expect(Object.keys(sent ?? {})).not.toContain("body");
    expect(Object.keys(sent?.tls ?? {})).toEqual(["skipVerify", "serverName"]);
  });

  test("ends a request when its signal aborts, and only then", async () => {
    const controller = new AbortController();
    const asked = transport(request(controller.signal));
    controller.abort();
    await expect(asked).rejects.toMatchObject({ name: "TransportError", fault: "aborted" });
  });

  test("asks nothing once the signal has aborted", async () => {
    sent = undefined;
    const asked = transport(request(AbortSignal.abort()));
    await expect(asked).rejects.toBeInstanceOf(TransportError);
    expect(sent).toBeUndefined();
  });

  test("repeats the host's words about a fault", async () => {
    const asked = transport(request());
    const fault = { fault: "wrong name", answered: false, names: ["a"] };
    pending.reject(Object.assign(new Error("x"), fault));
    await expect(asked).rejects.toMatchObject({ name: "TransportError", ...fault });
  });

  test.each([
    ["unreachable", "Too many open files (os error 24)", "Too many open files (os error 24)"],
    ["unreachable", "unreachable", undefined],
    ["refused", "Connection refused (os error 111)", undefined],
  ])("repeats the system's word if %s says little: %s", async (fault, message, detail) => {
    const asked = transport(request());
    pending.reject(Object.assign(new Error(message), { fault, answered: false }));
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ fault });
    expect(error instanceof TransportError && error.detail).toBe(detail);
  });

  test("leaves other errors as they are", async () => {
    const asked = transport(request());
    pending.reject(new TypeError("a mistake"));
    await expect(asked).rejects.toBeInstanceOf(TypeError);
  });
});
