import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "node:tls";
import { startDevStore } from "@svc/devstore";
import {
  canary,
  certificateAuthority,
  freePort,
  temporaryFolder,
  waitFor,
  writeSecret,
} from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { deadline, hurried } from "../harness/wrapper/lifecycle-stage.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

// nginx has its key and certificate from SVC_FILE_MAP, and takes new ones while clients connect.

setDefaultTimeout(120_000);
const NGINX = "/usr/sbin/nginx";
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
chmodSync(folder.path, 0o755);
afterAll(() => folder[Symbol.dispose]());
expectNothingLeft();
const canRun = process.getuid?.() === 0 && existsSync(NGINX);

const configuration = (port: number) => `
daemon off; worker_processes 1; pid ${at("nginx.pid")}; error_log stderr;
events {}
http {
  access_log off;
  server {
    listen 127.0.0.1:${port} ssl;
    ssl_certificate ${at("tls")}/tls.crt;
    ssl_certificate_key ${at("tls")}/tls.key;
    return 200 "served";
  }
}
`;

/** One handshake; returns the serial number of the server's certificate. */
function handshake(port: number, ca: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect({ host: "127.0.0.1", port, ca, servername: "localhost" }, () => {
    resolve(socket.getPeerCertificate().serialNumber);
    socket.destroy();
  });
  socket.on("error", reject);
  return promise;
}

test.skipIf(!canRun)("no handshake fails while key and certificate are replaced", async () => {
  const authority = await certificateAuthority();
  const issued = Array.from({ length: 4 }, () => authority.issue({ names: ["localhost"] }));
  const pairs = await Promise.all(issued);
  const fieldsOf = (index: number) => {
    const pair = pairs[index];
    if (pair === undefined) throw new TypeError("no such pair");
    return { "tls.key": pair.keyPem, "tls.crt": pair.certificatePem };
  };
  const secrets = { "secret/data/app": fieldsOf(0) };
  const store = startDevStore({ token: canary(), secrets });
  const port = freePort();
  writeFileSync(at("nginx.conf"), configuration(port));
  const { SVC_ENV_MAP: _, ...vault } = wrapperEnvironment(store.address, store.token);
  await using wrapper = await startWrapper({
    program: [NGINX, "-c", at("nginx.conf")],
    environment: {
      ...{ ...vault, ...hurried, SVC_ROTATION_DEBOUNCE: "0s" },
      SVC_FILE_MAP: `tls.key=${at("tls")}/tls.key,tls.crt=${at("tls")}/tls.crt`,
    },
  });
  const isServed = () => handshake(port, authority.certificatePem).catch(() => undefined);
  const seen = new Set([await waitFor(isServed, deadline("the first handshake"))]);
  for (let index = 1; index < pairs.length; index += 1) {
    const target = { address: store.address, rootToken: store.token };
    await writeSecret(target, "secret/data/app", fieldsOf(index));
    await waitFor(async () => {
      // One that fails fails the test.
      seen.add(await handshake(port, authority.certificatePem));
      return seen.size > index;
    }, deadline("the new certificate"));
  }
  expect(seen.size).toBe(pairs.length);
  expect(wrapper.stderr()).not.toContain("emerg");
  wrapper.kill(15);
  await wrapper.ended;
  await store.stop();
});
