import { describe, expect, test } from "bun:test";
import { parseProgramProbe } from "./program-probe.ts";

describe("a probe of the program", () => {
  test("is read with its defaults", () => {
    expect(parseProgramProbe('{"port":8080}')).toEqual({
      ok: true,
      value: { port: 8080, isTls: false, path: "/", headers: [], timeoutMs: 1000 },
    });
  });

  test("is read with all that it has", () => {
    const httpHeaders = [{ name: "X-Probe", value: "a b" }];
    const asked = { port: 443, path: "ready?full", scheme: "HTTPS", httpHeaders };
    expect(parseProgramProbe(JSON.stringify({ ...asked, timeoutSeconds: 30 }))).toEqual({
      ok: true,
      value: {
        ...{ port: 443, isTls: true, path: "/ready?full", timeoutMs: 30_000 },
        headers: [["X-Probe", "a b"]],
      },
    });
  });

  test.each([
    ["no JSON", "{"],
    ["no port", "{}"],
    ["the name of a port", '{"port":"web"}'],
    ["a port that is too large", '{"port":65536}'],
    ["a path with a line break", '{"port":80,"path":"/a\\r\\nX: y"}'],
    ["another scheme", '{"port":80,"scheme":"ftp"}'],
    ["no time", '{"port":80,"timeoutSeconds":0}'],
    ["too much time", '{"port":80,"timeoutSeconds":601}'],
    ["another member", '{"port":80,"exec":{}}'],
    ["a header without a name", '{"port":80,"httpHeaders":[{"name":"","value":"x"}]}'],
    ["a header with a line break", '{"port":80,"httpHeaders":[{"name":"X","value":"a\\nb"}]}'],
    ["headers that do not form a list", '{"port":80,"httpHeaders":{}}'],
  ])("is refused with %s", (_, text) => {
    expect(parseProgramProbe(text).ok).toBe(false);
  });
});
