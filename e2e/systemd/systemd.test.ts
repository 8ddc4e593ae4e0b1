import { afterAll, beforeAll, expect, test } from "bun:test";
import { startDevStore } from "@svc/devstore";
import { canary, freePort, waitFor } from "@svc/testing";
import { type Systemd, startSystemd } from "./start-systemd.ts";

let systemd: Systemd;
beforeAll(async () => {
  systemd = await startSystemd();
}, 30_000);
afterAll(async () => systemd[Symbol.asyncDispose]());

const deadline = (what: string) => ({ deadlineMs: 20_000, what });
const [password, token] = [canary(), canary()];

/** Starts the store that the units ask. */
function startStore(port: number) {
  return startDevStore({ port, token, secrets: { "secret/data/app": { password } } });
}

/** Writes the files of an instance of the unit. Its program ends at once if a value is missing. */
async function configure(name: string, port: number, dropIn = ""): Promise<string> {
  const program = JSON.stringify(["/bin/sh", "-c", 'test -n "$DB_PASSWORD" && exec sleep 1000']);
  const settings = [
    `VAULT_ADDR=http://127.0.0.1:${port}`,
    "SVC_SECRET_PATHS=secret/data/app",
    "SVC_ENV_MAP=password=DB_PASSWORD",
    "HEALTH_ADDR=127.0.0.1:0",
    `SVC_ORIGINAL_CMD='${program}'`,
  ];
  const unit = `svc-wrapper@${name}.service`;
  await systemd.write(`/etc/svc/${name}.env`, `${settings.join("\n")}\n`);
  await systemd.write(`/etc/svc/${name}.token`, `${token}\n`);
  await systemd.run("mkdir", "-p", `/etc/systemd/system/${unit}.d`);
  await systemd.write(`/etc/systemd/system/${unit}.d/test.conf`, `[Service]\n${dropIn}\n`);
  await systemd.run("systemctl", "daemon-reload");
  return unit;
}

test("the unit is started when the program runs, and not before", async () => {
  const port = freePort();
  const unit = await configure("app", port);
  await systemd.run("systemctl", "start", "--no-block", unit);
  await waitFor(
    async () => (await systemd.property(unit, "StatusText")).includes("being fetched"),
    deadline("the wrapper's first word"),
  );
  expect(await systemd.property(unit, "ActiveState")).toBe("activating");
  await using _store = startStore(port);
  await waitFor(
    async () => (await systemd.property(unit, "ActiveState")) === "active",
    deadline("the unit to be active"),
  );
  expect(await systemd.property(unit, "StatusText")).toBe("the program runs");
  expect(await systemd.property(unit, "NRestarts")).toBe("0");
  // As a separate user, the token in no environment, the credential in no other's sight.
  const main = await systemd.property(unit, "MainPID");
  expect(await systemd.run("ps", "-o", "user=", "-p", main)).not.toContain("root");
  const group = await systemd.property(unit, "ControlGroup");
  const members = await waitFor(async () => {
    const pids = (await systemd.run("cat", `/sys/fs/cgroup${group}/cgroup.procs`)).trim();
    // A courier may be on its errand.
    return pids.split("\n").length === 2 && pids.split("\n");
  }, deadline("the wrapper and the program to be all there is"));
  for (const pid of members) {
    const environ = await systemd.run("cat", `/proc/${pid}/environ`);
    expect(environ).not.toContain(token);
    // Under the hardening `inject` still works: the program has its value, and not here.
    expect(environ).not.toContain(password);
  }

  await systemd.run("systemctl", "stop", unit);
  expect(await systemd.property(unit, "ActiveState")).toBe("inactive");
  expect(await systemd.property(unit, "Result")).toBe("success");
});

test("the watchdog is fed, and a wrapper that hangs is replaced", async () => {
  const port = freePort();
  await using _store = startStore(port);
  const unit = await configure("watched", port, "WatchdogSec=1\nRestartSec=100ms");
  await systemd.run("systemctl", "start", unit);
  const fedAt = () => systemd.property(unit, "WatchdogTimestampMonotonic");
  const fed = new Set<string>();
  await waitFor(async () => fed.add(await fedAt()).size >= 4, deadline("three heartbeats"));
  expect(await systemd.property(unit, "NRestarts")).toBe("0");

  const hung = await systemd.property(unit, "MainPID");
  await systemd.run("kill", "-STOP", hung);
  await waitFor(
    async () =>
      (await systemd.property(unit, "NRestarts")) === "1" &&
      (await systemd.property(unit, "ActiveState")) === "active",
    deadline("another wrapper"),
  );
  expect(await systemd.property(unit, "MainPID")).not.toBe(hung);
  expect(await systemd.tryRun("kill", "-0", hung)).not.toBe(0);
  await systemd.run("systemctl", "stop", unit);
});

test("a program that does not exist fails the unit at once and for good", async () => {
  const port = freePort();
  await using _store = startStore(port);
  const unit = await configure("typo", port);
  await systemd.write(
    "/etc/svc/typo.env",
    `VAULT_ADDR=http://127.0.0.1:${port}
SVC_SECRET_PATHS=secret/data/app
SVC_ENV_MAP=password=DB_PASSWORD
HEALTH_ADDR=127.0.0.1:0
SVC_ORIGINAL_CMD=/nowhere
`,
  );
  expect(await systemd.tryRun("systemctl", "start", unit)).not.toBe(0);
  expect(await systemd.property(unit, "ActiveState")).toBe("failed");
  expect(await systemd.property(unit, "ExecMainStatus")).toBe("127");
  expect(await systemd.property(unit, "NRestarts")).toBe("0");
});

test("the agent's unit leaves it enough: it sees attempts on a program of another unit", async () => {
  const port = freePort();
  await using _store = startStore(port);
  const output = "StandardOutput=append:/var/log/events\nStandardError=append:/var/log/agent";
  await systemd.run("mkdir", "-p", "/etc/systemd/system/svc-agent.service.d");
  await systemd.write(
    "/etc/systemd/system/svc-agent.service.d/test.conf",
    `[Service]\n${output}\n`,
  );
  const settings = ["HEALTH_LISTEN_ADDR=127.0.0.1:0", "GRPC_LISTEN_ADDR=127.0.0.1:0"];
  await systemd.write(
    "/etc/svc/agent.env",
    [...settings, "PLATFORM_ENDPOINT=http://127.0.0.1:1", "NODE_NAME=n"].join("\n"),
  );
  // They are there before systemd makes them, which is after its word that the unit has started.
  await systemd.run("touch", "/var/log/events", "/var/log/agent");
  await systemd.run("systemctl", "daemon-reload");
  await systemd.run("systemctl", "start", "svc-agent");
  const read = (path: string) => systemd.run("cat", path);
  await waitFor(
    async () => (await read("/var/log/agent")).includes("health, status and metrics are served"),
    deadline("the agent"),
  );
  expect(await read("/var/log/agent")).not.toContain('"tier":"none"');
  // This systemd runs in such a namespace, so the agent must warn of it.
  expect(await read("/var/log/agent")).toContain("in a separate pid namespace");

  const environment = "Environment=SVC_EBPF_AGENT_ADDR=unix:///run/svc/agent.sock";
  const unit = await configure("seen", port, `${environment}\nEnvironment=SVC_REQUIRE_AGENT=true`);
  await systemd.run("systemctl", "start", unit);
  const wrapper = await systemd.property(unit, "MainPID");
  const [program = ""] = (await read(`/proc/${wrapper}/task/${wrapper}/children`)).split(" ");
  await systemd.run("cat", `/proc/${program}/maps`);
  const seen = await waitFor(
    // Other stories of this machine may look into every process.
    async () => /^.*"file":"maps".*"name":"cat".*$/m.exec(await read("/var/log/events"))?.[0],
    deadline("the event"),
  );
  expect(JSON.parse(seen)).toMatchObject({
    kind: "process_file",
    actor: { name: "cat" },
    target: { registration: { id: expect.stringMatching(/^[1-9]\d*$/) } },
  });
  await systemd.run("systemctl", "stop", unit, "svc-agent");
  expect(await systemd.property("svc-agent", "Result")).toBe("success");
});

test("systemd finds nothing wrong with the units", async () => {
  for (const name of ["svc-wrapper@.service", "svc-agent.service"]) {
    const path = `/etc/systemd/system/${name}`;
    expect(await systemd.run("sh", "-c", `systemd-analyze verify ${path} 2>&1`)).toBe("");
  }
});
