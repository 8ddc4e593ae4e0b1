import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startDevStore } from "@svc/devstore";
import { freePort, needsRoot, temporaryFolder, waitFor } from "@svc/testing";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import { childrenOf, commandLineOf, stateOf } from "../harness/processes/process-facts.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { oneSecretStore, type WrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import {
  type RunningWrapper,
  runWrapper,
  startWrapper,
  wrapperPath,
} from "../harness/wrapper/wrapper-process.ts";

const { store, environment } = oneSecretStore();
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
writeFileSync(at("jwt"), "a.b.c");
afterAll(async () => {
  await store.stop();
  folder[Symbol.dispose]();
});
expectNothingLeft();

/**
 * Resolves as soon as can be once the wrapper runs its own code: within the tenth of a
 * millisecond or so.
 */
async function firstStatement(pid: number): Promise<void> {
  const end = performance.now() + 5000;
  while (!blocksSignals(pid)) {
    if (performance.now() > end) throw new RangeError("the wrapper blocks no signal");
    await Bun.sleep(0);
  }
}

/**
 * Whether the wrapper blocks SIGQUIT and SIGPWR, as its own first instruction does; unshare
 * blocks SIGINT and SIGTERM; proc_pid_status(5).
 */
function blocksSignals(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const mask = BigInt(`0x${status.match(/^SigBlk:\s*(\w+)$/m)?.[1]}`);
  return bit(mask, 3) && bit(mask, 30) && isWrapper(pid);
}

/** Not the program that starts it; proc_pid_exe(5). */
function isWrapper(pid: number): boolean {
  return readlinkSync(`/proc/${pid}/exe`) === wrapperPath;
}

/** A vault that takes requests and never answers. */
function silentVault() {
  let asked = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => {
      asked += 1;
      return new Promise<Response>(() => undefined);
    },
  });
  return {
    address: server.url.origin,
    wasAsked: () => asked > 0,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** The stages of a start that never gets further, and how a wrapper is brought there. */
const stages: Readonly<
  Record<string, () => Promise<AsyncDisposable & { wrapper: RunningWrapper }>>
> = {
  "the login": () =>
    stuckAt({ VAULT_TOKEN: "", VAULT_AUTH_ROLE: "app", SVC_AUTH_JWT_PATH: at("jwt") }),
  "the fetch": () => stuckAt({}),
  "the wait before another try": async () => {
    const settings = { ...environment, VAULT_ADDR: `http://127.0.0.1:${freePort()}` };
    const wrapper = await startWrapper({ program: [fixture("waits")], environment: settings });
    await wrapper.says("retryInMs");
    return { wrapper, [Symbol.asyncDispose]: () => wrapper[Symbol.asyncDispose]() };
  },
};

async function stuckAt(more: WrapperEnvironment) {
  const vault = silentVault();
  const settings = { ...environment, ...more, VAULT_ADDR: vault.address };
  const wrapper = await startWrapper({ program: [fixture("waits")], environment: settings });
  await waitFor(vault.wasAsked, deadline("the request"));
  return {
    wrapper,
    [Symbol.asyncDispose]: async () => {
      await wrapper[Symbol.asyncDispose]();
      await vault[Symbol.asyncDispose]();
    },
  };
}

const deadline = (what: string) => ({ deadlineMs: 5000, what });

for (const [stage, reach] of Object.entries(stages)) {
  describe(`during ${stage}`, () => {
    for (const [name, signal] of Object.entries({ HUP: 1, INT: 2, QUIT: 3, TERM: 15 })) {
      test.concurrent(`${name} ends the wrapper at once with ${128 + signal}`, async () => {
        await using stuck = await reach();
        const [courier = 0] = childrenOf(stuck.wrapper.pid);
        const sent = performance.now();
        stuck.wrapper.kill(signal);
        const { exitCode, stdout } = await stuck.wrapper.ended;
        // The program was not started.
        expect([exitCode, stdout.toString()]).toEqual([128 + signal, ""]);
        expect(performance.now() - sent).toBeLessThan(20_000);
        expect(stateOf(courier)).toBeUndefined();
      });
    }

    test.concurrent("KILL of the supervisor takes the courier with it", async () => {
      await using stuck = await reach();
      const [courier = 0] = childrenOf(stuck.wrapper.pid);
      expect(stateOf(courier)).toBeDefined();
      stuck.wrapper.kill(9);
      await waitFor(() => stateOf(courier) === undefined, deadline("the courier to be gone"));
    });

    test.concurrent("KILL of the courier ends the wrapper with a failure", async () => {
      await using stuck = await reach();
      const [courier = 0] = childrenOf(stuck.wrapper.pid);
      stuck.wrapper.kill(9, courier);
      expect((await stuck.wrapper.ended).exitCode).not.toBe(0);
    });
  });
}

const bit = (mask: bigint, signal: number) => ((mask >> BigInt(signal - 1)) & 1n) === 1n;

describe("at the wrapper's first statement", () => {
  for (const firstProcess of [false, true]) {
    const as = firstProcess ? "as the first process of a container" : "as any process";
    // A container is a PID namespace.
    const declare = firstProcess ? needsRoot(test.concurrent) : test.concurrent;
    declare(`TERM is heard ${as}`, async () => {
      await using vault = silentVault();
      const settings = { ...environment, VAULT_ADDR: vault.address };
      const program = [fixture("waits")];
      await using wrapper = await startWrapper({ program, environment: settings, firstProcess });
      await firstStatement(wrapper.pid);
      wrapper.kill(15);
      const { exitCode, stderr } = await wrapper.ended;
      expect({ exitCode, stderr }).toEqual({
        exitCode: 143,
        stderr: expect.stringContaining("ended before the program was started"),
      });
    });
  }
});

test("a program that ends before the health server listens ends the wrapper cleanly", async () => {
  const codes = Array.from({ length: 8 }, async () => {
    const { exitCode, stderr } = await runWrapper({ program: ["/bin/true"], environment });
    return [exitCode, stderr.includes('"level":"error"')];
  });
  expect(await Promise.all(codes)).toEqual(Array(8).fill([0, false]));
});

test("a program starts when the vault comes back", async () => {
  const port = freePort();
  const settings = { ...environment, VAULT_ADDR: `http://127.0.0.1:${port}` };
  await using wrapper = await startWrapper({
    program: [fixture("exits-with"), "7"],
    environment: settings,
  });
  await wrapper.says("retryInMs");
  await using _vault = startDevStore({
    port,
    token: store.token,
    secrets: { "secret/data/app": { password: "x" } },
  });
  expect((await wrapper.ended).exitCode).toBe(7);
});

describe("a courier that is stopped", () => {
  test("ends the start at SVC_START_DEADLINE", async () => {
    await using vault = silentServer();
    await using wrapper = await startWrapper({
      program: [fixture("waits")],
      environment: { ...environment, VAULT_ADDR: vault.address, SVC_START_DEADLINE: "2s" },
    });
    // Not before it has executed: until then it is in vfork, which stops its supervisor too.
    const courier = await waitFor(() => childrenOf(wrapper.pid).find(isCourier), {
      deadlineMs: 10_000,
      what: "the courier",
    });
    wrapper.kill(19, courier);
    const { exitCode, stderr, stdout } = await wrapper.ended;
    expect([exitCode, stdout.toString()]).toEqual([125, ""]);
    expect(stderr).toContain("START_DEADLINE");
  });
});

function isCourier(pid: number): boolean {
  return commandLineOf(pid).toString().startsWith("svc-courier\0");
}

/** Takes connections and says nothing. */
function silentServer() {
  const server = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => undefined } });
  return {
    address: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: async () => server.stop(true),
  };
}
