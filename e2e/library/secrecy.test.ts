import { describe, expect, test } from "bun:test";
import { needsRoot, waitFor } from "@svc/testing";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { environOf } from "../harness/processes/process-facts.ts";
import { searchProcess, treeOf } from "../harness/processes/search-process.ts";
import { exampleServer, serverVariants } from "../harness/programs/example-server.ts";
import { type RunningServer, startExampleServer } from "../harness/wrapper/running-server.ts";
import { searchedFor, setBaoStage } from "./bao-stage.ts";
import { dumpCore, searchCores } from "./core-dumps.ts";

const { folder: newFolder, prepare } = setBaoStage();
const SIGQUIT = 3;
const CORES = ["-l", `core=${2 ** 30}`];
const NO_MEMFD_SECRET = ["-n", "memfd_secret=38"];

/** All paths of the server, and one that it does not have. */
const requests = [
  ["/"],
  ["/health"],
  ["/protected"],
  ["/nothing"],
  ["/protected", "POST"],
] as const;

describe("the secrets of the example server are nowhere that others can read:", () => {
  for (const variant of serverVariants) {
    // It looks into the wrapper too, which is not dumpable.
    needsRoot(test.concurrent)(`${variant}`, async () => {
      const { environment, password, token } = await prepare();
      const secrets = searchedFor(password, token);
      const folder = newFolder();
      await using server = await startExampleServer({
        program: [exampleServer(variant)],
        environment: { ...environment, GOTRACEBACK: "crash", SVC_LOG_LEVEL: "debug" },
        startsAs: CORES,
        folder,
      });
      const answers = await askEverything(server);
      expect(answers).toContain("ca****-1");
      await noCourier(server);
      expect(searchProcess(server.pid, secrets)).toEqual([]);
      expect(searchProcess(server.wrapper.pid, secrets)).toEqual([]);
      server.wrapper.kill(SIGQUIT, server.pid);
      const { stderr } = await server.wrapper.ended;
      expect(stderr).toContain("SIGQUIT: quit");
      expect(stderr).toContain("goroutine ");
      expect(leaksIn(answers + stderr, secrets)).toEqual([]);
      expect(searchCores(folder, secrets)).toEqual({ cores: 1, found: [] });
    });
  }
});

test.concurrent("the same search finds them if they are delivered by env", async () => {
  const { environment, password } = await prepare();
  const folder = newFolder();
  await using server = await startExampleServer({
    program: [exampleServer(), "-keys=DB_PASSWORD,ABSENT"],
    environment: { ...environment, SVC_DELIVERY: "env", GOTRACEBACK: "crash" },
    startsAs: CORES,
    folder,
  });
  expect(JSON.parse(await server.get("/"))).toEqual({ keys: ["DB_PASSWORD"], count: 1 });
  expect(await server.get("/health")).toContain('"delivery":"env_vars","protection":"none"');
  expect(await server.get("/protected")).toContain('"source":"environment","masked":"ca****-1"');
  const found = searchProcess(server.pid, [password]);
  expect(found).toContain(`memory of ${server.pid}: ${password}`);
  expect(found).toContain(`/proc/${server.pid}/environ: ${password} as it is`);
  server.wrapper.kill(SIGQUIT, server.pid);
  await server.wrapper.ended;
  expect(searchCores(folder, [password])).toEqual({ cores: 1, found: [`${password} as it is`] });
});

test.concurrent("without memfd_secret they are in memory, as the server says, and not in a core dump", async () => {
  const { environment, password, token } = await prepare();
  const folder = newFolder();
  await using server = await startExampleServer({
    environment: { ...environment, GOTRACEBACK: "crash" },
    startsAs: [...NO_MEMFD_SECRET, ...CORES],
    folder,
  });
  expect(server.wrapper.stderr()).toContain("degraded");
  expect(await server.get("/health")).toContain('"delivery":"memfd","protection":"memfd"');
  expect(await server.get("/protected")).toContain('"source":"memory","masked":"ca****-1"');
  const secrets = searchedFor(password, token);
  expect(leaksIn(environOf(server.pid), secrets)).toEqual([]);
  const found = searchProcess(server.pid, [password, token]);
  expect(found).toEqual([`memory of ${server.pid}: ${password}`]);
  await dumpCore(server.pid, folder);
  server.wrapper.kill(SIGQUIT, server.pid);
  await server.wrapper.ended;
  expect(searchCores(folder, secrets)).toEqual({ cores: 2, found: [] });
});

/** A courier may look at the token after the start: the secrets are its to have. */
async function noCourier({ wrapper }: RunningServer): Promise<void> {
  await waitFor(() => treeOf(wrapper.pid).length === 2, {
    deadlineMs: 10_000,
    what: "a moment without a courier",
  });
}

async function askEverything(server: RunningServer): Promise<string> {
  const answers: string[] = [];
  for (const [path, method] of requests) answers.push(await server.get(path, method));
  return answers.join("");
}
