import { afterAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { certificateAuthority, temporaryFolder } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { oneSecretStore } from "../harness/wrapper/one-secret.ts";
import { makeApplication } from "./application.ts";
import { emptyRoot } from "./roots.ts";
import { inRoot, runInRoot } from "./run-in-root.ts";

const TIMEOUT_MS = 180_000;
const { store, environment, password } = oneSecretStore();
const folder = temporaryFolder();
const root = emptyRoot(join(folder.path, "scratch"));
const app = makeApplication(join(folder.path, "app"), root);
const authority = await certificateAuthority();
const { certificatePem, keyPem } = await authority.issue();
const front = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  tls: { cert: certificatePem, key: keyPem },
  fetch: (request) =>
    fetch(new URL(new URL(request.url).pathname, store.address), { headers: request.headers }),
});
afterAll(async () => {
  await front.stop(true);
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();
writeFileSync(join(app, "ca.pem"), authority.certificatePem);
const launch = { root: root.path, app, words: ["--", "/opt/app/tells"] };
const settings = {
  ...environment,
  VAULT_ADDR: front.url.origin,
  SVC_START_DEADLINE: "0",
  SVC_LOG_FORMAT: "text",
};

inRoot(
  "a vault with a certificate of a private authority is trusted by VAULT_CACERT, without any CA file",
  async () => {
    const { exitCode, stdout, stderr } = await runInRoot({
      ...launch,
      environment: { ...settings, VAULT_CACERT: "/opt/app/ca.pem" },
    });
    expect(exitCode, stderr).toBe(7);
    expect(stdout.split("\0")).toContain(`DB_PASSWORD=${password}`);
  },
  TIMEOUT_MS,
);

inRoot(
  "without it the certificate is refused, and the line says so",
  async () => {
    const { exitCode, stdout, stderr } = await runInRoot({ ...launch, environment: settings });
    expect({ exitCode, stdout }).toEqual({ exitCode: 125, stdout: "" });
    expect(stderr).toMatch(/certificate/i);
    expect(stderr).toContain("VAULT_CACERT");
  },
  TIMEOUT_MS,
);
