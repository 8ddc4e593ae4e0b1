import { expect, test } from "bun:test";
import { renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Certificate, certificateAuthority, temporaryFolder, waitFor } from "@svc/testing";
import { jsonAnswer } from "./http-answer.ts";
import type { HttpService } from "./http-service.ts";
import { openDoor } from "./open-door.ts";
import { sendRaw } from "./testdata/raw-client.ts";
import { recordLog } from "./testdata/record-log.ts";

const HEAD = "GET / HTTP/1.1\r\nHost: pod\r\n\r\n";
const service: HttpService = {
  answerHead: (_head, client) => jsonAnswer(200, client),
  answerBody: async () => jsonAnswer(200, ""),
};
const deadline = (what: string) => ({ deadlineMs: 5000, what });

/** A volume as the kubelet keeps it: files are links through a link that is replaced in one step. */
function volume() {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  let generation = 0;
  const put = (files: Readonly<Record<string, string>>) => {
    generation += 1;
    const target = at(`generation-${generation}`);
    Bun.spawnSync(["mkdir", target]);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(target, name), text);
    symlinkSync(target, at("next"));
    renameSync(at("next"), at("data"));
  };
  const paths = { certPath: at("data/tls.crt"), keyPath: at("data/tls.key") };
  return { put, paths, clientCaPath: at("data/ca.crt"), [Symbol.dispose]: folder[Symbol.dispose] };
}

function files({ certificatePem, keyPem }: Certificate) {
  return { "tls.crt": certificatePem, "tls.key": keyPem };
}

test("certificates that are replaced are served, and a pair that does not fit is not", async () => {
  using disk = volume();
  const [one, two] = await Promise.all([certificateAuthority(), certificateAuthority()]);
  const [first, second] = await Promise.all([one.issue(), two.issue()]);
  disk.put(files(first));
  const { log, lines } = recordLog();
  const settings = { host: "127.0.0.1", port: 0, tls: disk.paths };
  const door = openDoor(settings, service, log, 20);
  const servedBy = async (ca: string) =>
    sendRaw(HEAD, { port: door.port, tls: { ca } }).then(
      ({ status }) => status === 200,
      () => false,
    );
  expect(await servedBy(one.certificatePem)).toBe(true);

  disk.put({ ...files(first), "tls.key": second.keyPem });
  await waitFor(() => lines.length > 0, deadline("the warning"));
  expect(lines[0]).toMatchObject({ level: "warn", reason: "ERR_OSSL_X509_KEY_VALUES_MISMATCH" });
  expect(await servedBy(one.certificatePem)).toBe(true);

  disk.put({ "tls.crt": second.certificatePem.slice(0, 200), "tls.key": second.keyPem });
  await waitFor(() => lines.length > 1, deadline("the second warning"));
  expect(await servedBy(one.certificatePem)).toBe(true);

  disk.put({ "tls.key": second.keyPem });
  await waitFor(() => lines.length > 2, deadline("the third warning"));
  expect(lines[2]).toMatchObject({ level: "warn", reason: "open: ENOENT" });

  disk.put(files(second));
  await waitFor(() => servedBy(two.certificatePem), deadline("the new certificate"));
  expect(lines[3]).toMatchObject({ level: "info" });
  expect(await servedBy(one.certificatePem)).toBe(false);
  expect(lines).toHaveLength(4);
  door.stop();
});

test("a client CA that is replaced decides from then on, and an empty one never does", async () => {
  using disk = volume();
  const [one, two] = await Promise.all([certificateAuthority(), certificateAuthority()]);
  const own = await one.issue();
  const [ofOne, ofTwo] = await Promise.all([
    one.issue({ names: ["first"] }),
    two.issue({ names: ["second"] }),
  ]);
  disk.put({ ...files(own), "ca.crt": one.certificatePem });
  const { log, lines } = recordLog();
  const tls = { ...disk.paths, clientCaPath: disk.clientCaPath };
  const door = openDoor({ host: "127.0.0.1", port: 0, tls }, service, log, 20);
  const nameOf = async ({ certificatePem, keyPem }: Certificate) => {
    const client = { ca: one.certificatePem, cert: certificatePem, key: keyPem };
    const { body } = await sendRaw(HEAD, { port: door.port, tls: client });
    return JSON.parse(body).certificateName;
  };
  expect([await nameOf(ofOne), await nameOf(ofTwo)]).toEqual(["first", undefined]);
  disk.put({ ...files(own), "ca.crt": "" });
  await waitFor(() => lines.length > 0, deadline("the warning"));
  expect(lines[0]?.["reason"]).toContain("ca.crt: it holds no PEM text");
  expect([await nameOf(ofOne), await nameOf(ofTwo)]).toEqual(["first", undefined]);
  disk.put({ ...files(own), "ca.crt": two.certificatePem });
  await waitFor(() => lines.length > 1, deadline("the new CA"));
  expect([await nameOf(ofOne), await nameOf(ofTwo)]).toEqual([undefined, "second"]);
  door.stop();
});
