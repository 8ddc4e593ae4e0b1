import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { canary, waitFor } from "@svc/testing";
import { type Systemd, startSystemd } from "./start-systemd.ts";

// The drop-in of docs/guides/files.md: a unit with a credential of systemd, and without a vault.

const guide = readFileSync(join(import.meta.dirname, "../../docs/guides/files.md"), "utf8");
const dropIn = /```ini\n(.*?)```/s.exec(guide)?.[1] ?? "";
const password = canary();
const deadline = (what: string) => ({ deadlineMs: 20_000, what });

let systemd: Systemd;
beforeAll(async () => {
  systemd = await startSystemd();
}, 30_000);
afterAll(async () => systemd[Symbol.asyncDispose]());

test("a unit delivers a credential, and knows no vault", async () => {
  const unit = "svc-wrapper@app.service";
  const isRight = `test "$DB_PASSWORD" = "$(cat "$CREDENTIALS_DIRECTORY/db")" && exec sleep 1000`;
  const program = JSON.stringify(["/bin/sh", "-c", isRight]);
  await systemd.write("/etc/svc/app.db", `${password}\n`);
  await systemd.write(
    "/etc/svc/app.env",
    `HEALTH_ADDR=127.0.0.1:0\nSVC_ORIGINAL_CMD='${program}'\n`,
  );
  await systemd.run("mkdir", "-p", `/etc/systemd/system/${unit}.d`);
  await systemd.write(`/etc/systemd/system/${unit}.d/files.conf`, dropIn);
  await systemd.run("systemctl", "daemon-reload");
  await systemd.run("systemctl", "start", unit);
  await waitFor(
    async () => (await systemd.property(unit, "ActiveState")) === "active",
    deadline("the unit to be active"),
  );
  expect(await systemd.property(unit, "StatusText")).toBe("the program runs");
  const main = await systemd.property(unit, "MainPID");
  const environ = await systemd.run("cat", `/proc/${main}/environ`);
  expect(environ).toContain("SVC_SECRET_PATHS=file:/run/credentials/");
  expect(environ).not.toContain("VAULT_");
  expect(environ).not.toContain(password);
  await systemd.run("systemctl", "stop", unit);
  expect(await systemd.property(unit, "Result")).toBe("success");
}, 60_000);
