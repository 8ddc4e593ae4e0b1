import { expect, test } from "bun:test";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { jsonAnswer } from "./http-answer.ts";
import type { HttpService } from "./http-service.ts";
import { openServer } from "./open-server.ts";
import { FakeServers } from "./testdata/fake-servers.ts";
import { recordLog } from "./testdata/record-log.ts";

const service: HttpService = {
  answerHead: (_head, client) => jsonAnswer(200, client),
  answerBody: async () => jsonAnswer(200, ""),
};
const deadline = (what: string) => ({ deadlineMs: 60_000, what });
const tlsCheckMs = 20;

/**
 * A volume as the kubelet keeps it: files are links through a link that is replaced in one step.
 */
function volume() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  let generation = 0;
  const put = (files: Readonly<Record<string, string>>) => {
    generation += 1;
    const target = at(`generation-${generation}`);
    mkdirSync(target);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(target, name), text);
    symlinkSync(target, at("next"));
    renameSync(at("next"), at("data"));
  };
  const paths = { certPath: at("data/tls.crt"), keyPath: at("data/tls.key") };
  return { put, paths, clientCaPath: at("data/ca.crt"), [Symbol.dispose]: folder[Symbol.dispose] };
}

/** A pair that fits, as FakeServers see it. */
function pair(name: string) {
  return {
    "tls.crt": `-----BEGIN CERTIFICATE-----\n${name}`,
    "tls.key": `-----BEGIN PRIVATE KEY-----\n${name}`,
  };
}

test("certificates that are replaced are served, and a pair that does not fit is not", async () => {
  using disk = volume();
  const servers = new FakeServers();
  const [first, second] = [pair("first"), pair("second")];
  disk.put(first);
  const { log, lines } = recordLog();
  const settings = { host: "127.0.0.1", port: 0, tls: disk.paths };
  const server = openServer({ settings, service, log, openHttpServer: servers.open, tlsCheckMs });
  const served = () => servers.certificateAt(server.port);
  expect(served()).toBe(first["tls.crt"]);

  disk.put({ ...first, "tls.key": second["tls.key"] });
  await waitFor(() => lines.length > 0, deadline("the warning"));
  expect(lines[0]).toMatchObject({ level: "warn", reason: "KEY_VALUES_MISMATCH" });
  expect(served()).toBe(first["tls.crt"]);

  disk.put({ ...second, "tls.crt": "no certificate" });
  await waitFor(() => lines.length > 1, deadline("the second warning"));
  expect(lines[1]?.["reason"]).toContain("tls.crt: it holds no PEM text");
  expect(served()).toBe(first["tls.crt"]);

  disk.put({ "tls.key": second["tls.key"] });
  await waitFor(() => lines.length > 2, deadline("the third warning"));
  expect(lines[2]).toMatchObject({ level: "warn", reason: "open: ENOENT" });

  disk.put(second);
  await waitFor(() => served() === second["tls.crt"], deadline("the new certificate"));
  expect(lines[3]).toMatchObject({ level: "info" });
  // It is looked at again and again, and replaced once.
  await Bun.sleep(5 * tlsCheckMs);
  expect(lines).toHaveLength(4);
  server.stop();
  expect(servers.isOpen(server.port)).toBe(false);
});

test("a client CA that is replaced decides from then on, and an empty one never does", async () => {
  using disk = volume();
  const servers = new FakeServers();
  const [own, one, two] = [pair("own"), pair("one")["tls.crt"], pair("two")["tls.crt"]];
  disk.put({ ...own, "ca.crt": one });
  const { log, lines } = recordLog();
  const tls = { ...disk.paths, clientCaPath: disk.clientCaPath };
  const settings = { host: "127.0.0.1", port: 0, tls };
  const server = openServer({ settings, service, log, openHttpServer: servers.open, tlsCheckMs });
  expect(servers.clientCaAt(server.port)).toBe(one);
  disk.put({ ...own, "ca.crt": "" });
  await waitFor(() => lines.length > 0, deadline("the warning"));
  expect(lines[0]?.["reason"]).toContain("ca.crt: it holds no PEM text");
  expect(servers.clientCaAt(server.port)).toBe(one);
  disk.put({ ...own, "ca.crt": two });
  await waitFor(() => lines.length > 1, deadline("the new CA"));
  expect(servers.clientCaAt(server.port)).toBe(two);
  server.stop();
});
