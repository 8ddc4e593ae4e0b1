import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { canary, freePort, needsRoot, waitFor } from "@svc/testing";
import { recordingProxy } from "../harness/faults/recording-proxy.ts";
import { leaksIn } from "../harness/processes/leak-search.ts";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { searchProcess, treeOf } from "../harness/processes/search-process.ts";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { kubernetesLogins } from "../harness/stores/kubernetes-logins.ts";
import {
  changingStore,
  childToken,
  deadline,
  logs,
  setLifecycleStage,
  withoutToken,
} from "../harness/wrapper/lifecycle-stage.ts";
import { type RunningWrapper, startWrapper } from "../harness/wrapper/wrapper-process.ts";

const { at } = setLifecycleStage();
// A wrapper is not dumpable: only root reads its memory.
const rootTest = needsRoot(test.concurrent);
const holder = fixture("holds-secret");
const policies = { app: [{ path: "secret/+/app", capabilities: ["read"] as const }] };
const TIMEOUT_MS = 180_000;

rootTest(
  "nothing is left behind of tokens and values after logins, renewals and rotations",
  async () => {
    const jwt = canary();
    const life = { ttlMs: 2000, maxTtlMs: 3000 };
    await using changing = changingStore(kubernetesLogins(jwt, life));
    writeFileSync(at("jwt"), jwt);
    await using proxy = recordingProxy(changing.store.address);
    await using wrapper = await startWrapper({
      program: [holder],
      environment: {
        ...withoutToken(changing.environment),
        VAULT_ADDR: proxy.address,
        VAULT_AUTH_ROLE: "app",
        SVC_AUTH_JWT_PATH: at("jwt"),
        SVC_LOG_LEVEL: "debug",
      },
    });
    const values = [changing.value()];
    await wrapper.prints("holds ");
    for (let round = 1; round <= 2; round += 1) {
      values.push(await changing.change());
      await waitFor(() => timesHeld(wrapper) > round, deadline("the next program"));
    }
    await waitFor(() => proxy.issuedTokens().length >= 3, deadline("three logins"));
    const all = [...values, ...proxy.issuedTokens(), jwt];
    await expectNothingIn(wrapper, all);
    const asked = proxy.paths();
    expect(asked.some((path) => path.endsWith("/renew-self"))).toBe(true);
  },
  TIMEOUT_MS,
);

rootTest(
  "nothing is left behind of a token that was brought to a sealed wrapper",
  async () => {
    await using changing = changingStore({ policies });
    const port = freePort();
    await using wrapper = await startWrapper({
      program: [holder],
      environment: {
        ...withoutToken(changing.environment),
        VAULT_AUTH_METHOD: "token",
        HEALTH_ADDR: `127.0.0.1:${port}`,
        SVC_LOG_LEVEL: "debug",
      },
    });
    await logs(wrapper, "waiting for POST /v1/unseal");
    const token = await childToken(changing.store, { policies: ["app"] });
    const wrong = canary();
    const statuses = [await unseal(port, wrong), await unseal(port, token)];
    expect(statuses).toEqual([403, 200]);
    await wrapper.prints("holds ");
    await expectNothingIn(wrapper, [changing.value(), token, wrong]);
  },
  TIMEOUT_MS,
);

rootTest(
  "nothing is left behind of values that replace each other in a running program",
  async () => {
    await using changing = changingStore();
    await using wrapper = await startWrapper({
      program: [holder],
      environment: { ...changing.environment, SVC_ROTATION: "sighup", SVC_LOG_LEVEL: "debug" },
      // The program has no handler for it; that it stays alive is enough here.
      startsAs: ["-i", "1"],
    });
    await wrapper.prints("holds ");
    const values = [changing.value()];
    for (let round = 0; round < 2; round += 1) {
      values.push(await changing.change());
      await logs(wrapper, "the variables lead to the new values", round);
    }
    await expectNothingIn(wrapper, [...values, changing.store.token]);
  },
  TIMEOUT_MS,
);

/** Looks once no courier is at work: the values are theirs to have. */
async function expectNothingIn(wrapper: RunningWrapper, secrets: readonly string[]) {
  const [program = 0] = childrenOf(wrapper.pid);
  await waitFor(() => treeOf(wrapper.pid).length === 2, deadline("a moment without a courier"));
  expect(searchProcess(wrapper.pid, secrets)).toEqual([]);
  expect(searchProcess(program, secrets)).toEqual([]);
  expect(leaksIn(wrapper.stderr(), secrets)).toEqual([]);
}

function timesHeld(wrapper: RunningWrapper): number {
  return wrapper.stdout().toString().split("holds ").length - 1;
}

async function unseal(port: number, token: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/v1/unseal`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  return answer.status;
}
