import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { waitFor } from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { environOf } from "../harness/processes/process-facts.ts";
import { searchProcess, treeOf } from "../harness/processes/search-process.ts";
import { unprivileged } from "../harness/processes/unprivileged.ts";
import { exampleServer, serverVariants } from "../harness/programs/example-server.ts";
import { changingStore } from "../harness/wrapper/lifecycle-stage.ts";
import { startExampleServer } from "../harness/wrapper/running-server.ts";
import { searchedFor, setBaoStage } from "./bao-stage.ts";
import { openRequest } from "./open-request.ts";

const { folder: newFolder, prepare } = setBaoStage();
const SIGTERM = 15;
const NO_MEMFD_SECRET = ["-n", "memfd_secret=38"];
const deadline = (what: string) => ({ deadlineMs: 10_000, what });

for (const variant of serverVariants) {
  test.concurrent(`the example server ${variant} is given its secrets by library under auto, and shows names and masks`, async () => {
    const { environment } = await prepare();
    await using server = await startExampleServer({
      program: [exampleServer(variant), "-keys", "ABSENT,PATH"],
      environment,
    });
    expect(server.wrapper.stderr()).toContain("deliver by library");
    expect(JSON.parse(await server.get("/"))).toEqual({
      keys: ["DB_PASSWORD", "PATH", "PIN"],
      count: 3,
    });
    expect(JSON.parse(await server.get("/health"))).toEqual({
      status: "ok",
      delivery: "memfd_secret",
      protection: "memfd_secret",
    });
    expect(JSON.parse(await server.get("/protected"))).toEqual({
      secrets: [
        { key: "ABSENT", available: false },
        { key: "DB_PASSWORD", available: true, source: "memory", masked: "ca****-1" },
        { key: "PATH", available: true, source: "environment", masked: "/u****in" },
        { key: "PIN", available: true, source: "memory", masked: "****" },
      ],
    });
  });
}

test.concurrent("the descriptor is closed once the server is open", async () => {
  const { environment } = await prepare();
  await using server = await startExampleServer({ environment });
  const number = /(?:^|\0)SVC_SECRET_FD=(\d+)(?:\0|$)/.exec(environOf(server.pid).toString())?.[1];
  // The environment that execve copied still names it. The number now belongs to another file, or
  // to none.
  expect(number).toBeString();
  const targets = readdirSync(`/proc/${server.pid}/fd`).map((fd) =>
    readlinkSync(`/proc/${server.pid}/fd/${fd}`),
  );
  expect(targets.filter((target) => /secretmem|memfd/.test(target))).toEqual([]);
  const maps = readFileSync(`/proc/${server.pid}/maps`, "utf8");
  expect(maps.match(/^.*secretmem.*$/gm)?.map((line) => line.split(" ")[1])).toEqual(["r--s"]);
});

for (const [memory, startsAs] of Object.entries({ memfd_secret: [], memfd: NO_MEMFD_SECRET })) {
  test.concurrent(`with sighup the server takes over new values (${memory})`, async () => {
    const { environment, password, token, change } = await prepare();
    await using server = await startExampleServer({
      environment: {
        ...environment,
        SVC_ROTATION: "sighup",
        RENEWAL_INTERVAL: "150ms",
        SVC_ROTATION_SPLAY: "0s",
        SVC_ROTATION_MIN_INTERVAL: "0s",
      },
      startsAs,
    });
    expect(await server.get("/protected")).toContain("ca****-1");
    const next = await change();
    const log = () => server.wrapper.stderr();
    await waitFor(() => log().includes('"secrets changed"'), deadline("the change in the log"));
    expect(log()).toContain("keys=[DB_PASSWORD]");
    expect(await server.get("/protected")).toContain("ca****-2");
    await waitFor(() => treeOf(server.wrapper.pid).length === 2, deadline("no courier"));
    const secrets = searchedFor(password, next, token);
    if (memory === "memfd_secret") expect(searchProcess(server.pid, secrets)).toEqual([]);
    server.wrapper.kill(SIGTERM);
    const { exitCode, stderr } = await server.wrapper.ended;
    expect(exitCode, stderr).toBe(0);
    expect(leaksIn(stderr, secrets)).toEqual([]);
  });
}

test.concurrent("new values that find no lockable memory leave the old ones, and the log says so", async () => {
  // 40 KiB are the region; of the rest each longer value takes twelve, and as much while it is
  // copied.
  const secrets = { "secret/data/app": { password: "old".padEnd(3000, "-") } };
  await using changing = changingStore({ secrets });
  await using server = await startExampleServer({
    program: [readableByAll(exampleServer())],
    environment: { ...changing.environment, SVC_ROTATION: "sighup" },
    startsAs: ["-l", "memlock=65536", ...unprivileged],
  });
  const log = () => server.wrapper.stderr();
  await changing.write({ password: "longer".padEnd(12_000, "-") });
  await waitFor(() => log().includes("secrets changed"), deadline("the first change"));
  await changing.write({ password: "newer".padEnd(12_000, "-") });
  await waitFor(() => log().includes("old ones stay"), deadline("the failure in the log"));
  expect(log()).toContain("raise RLIMIT_MEMLOCK");
  expect(await server.get("/protected")).toContain("lo****--");
});

test.concurrent("a request that has begun is answered after SIGTERM, and the exit status is 0", async () => {
  const { environment } = await prepare();
  await using server = await startExampleServer({ environment });
  await using request = await openRequest(server, "/protected");
  server.wrapper.kill(SIGTERM);
  await server.wrapper.says("shuts down");
  await expect(fetch(`http://127.0.0.1:${server.port}/`)).rejects.toThrow();
  const answer = await request.finish();
  expect(answer).toStartWith("HTTP/1.1 200 OK\r\n");
  expect(answer).toContain("ca****-1");
  const { exitCode, stderr } = await server.wrapper.ended;
  expect(exitCode, stderr).toBe(0);
});

test.concurrent("a second SIGTERM does not wait for a request", async () => {
  const { environment } = await prepare();
  await using server = await startExampleServer({ environment });
  await using request = await openRequest(server, "/");
  server.wrapper.kill(SIGTERM);
  await server.wrapper.says("shuts down");
  server.wrapper.kill(SIGTERM);
  expect((await server.wrapper.ended).exitCode).toBe(128 + SIGTERM);
  expect(await request.finish()).toBe("");
});

/** Another user cannot enter the cache. */
function readableByAll(program: string): string {
  const folder = newFolder();
  for (const path of [folder, dirname(folder)]) chmodSync(path, 0o755);
  const copy = join(folder, "server");
  copyFileSync(program, copy);
  return copy;
}
