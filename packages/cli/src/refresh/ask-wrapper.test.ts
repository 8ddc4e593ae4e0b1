import { expect, test } from "bun:test";
import { KubernetesError } from "@svc/kubernetes";
import { askWrapper } from "./ask-wrapper.ts";

const wrapper = { pod: "web-0", container: "app", proxied: "https:web-0:8199" };
type Answer = object | KubernetesError;

const state = (name: string, reason?: string) => ({ state: name, ...(reason && { reason }) });
const refused = (status: number, reason = "") =>
  new KubernetesError(
    status >= 500 ? "KUBERNETES_UNREACHABLE" : "KUBERNETES_REFUSED",
    `status ${status} ${reason}`,
    { status, reason },
  );

/** Asks a wrapper that gives these answers, and then the last one for ever. */
async function asked(answers: readonly Answer[], change: { readonly wait?: boolean } = {}) {
  const left = [...answers];
  const requests: string[] = [];
  const said: string[] = [];
  let nowMs = 0;
  const outcome = await askWrapper(wrapper, {
    api: {
      ask: async ({ method, path }) => {
        requests.push(`${method} ${path}`);
        const answer = left.length > 1 ? left.shift() : left[0];
        if (answer instanceof KubernetesError) throw answer;
        return answer;
      },
    },
    ...{ namespace: "shop", wait: true, deadlineMs: 10_000, pauseMs: 1000, ...change },
    nowMs: () => nowMs,
    sleep: async (ms) => (nowMs += ms),
    progress: (_wrapper, text) => void said.push(text),
  });
  const methods = requests.map((request) => request.split(" ")[0]);
  return { ...outcome, methods, requests, said };
}

test("a wrapper is asked once for a check, and then for its state until it is current", async () => {
  const answers = [
    state("checking", "the secrets are being checked"),
    state("rotating", "a rotation is planned"),
    state("rotating", "a rotation is planned"),
    state("current"),
  ];
  const { outcome, methods, requests, said } = await asked(answers);
  expect(outcome).toBe("current");
  expect(methods).toEqual(["POST", "GET", "GET", "GET"]);
  expect(requests[0]).toBe("POST /api/v1/namespaces/shop/pods/https:web-0:8199/proxy/v1/check");
  expect(said).toEqual(["the secrets are being checked", "a rotation is planned"]);
});

test("a wrapper that waits has begun no check: it is asked for one again", async () => {
  const answers = [state("waiting", "no token was given"), state("checking"), state("current")];
  expect((await asked(answers)).methods).toEqual(["POST", "POST", "GET"]);
});

test("without a wait, the command ends once the check has begun", async () => {
  const answers = [state("waiting", "it starts"), state("checking")];
  const { outcome, methods } = await asked(answers, { wait: false });
  expect([outcome, methods]).toEqual(["begun", ["POST", "POST"]]);
});

test.each([
  ["is current at once", [state("current")], "current"],
  ["never checks", [state("unchecked", "SVC_ROTATION=none")], "unchecked"],
  ["is gone", [state("checking"), refused(404, "NotFound")], "gone"],
  ["is older than the command", [refused(404)], "unreached"],
  ["grants no more checks for now", [refused(429), state("checking"), state("current")], "current"],
  [
    "does not answer for a moment",
    [refused(503, "ServiceUnavailable"), state("current")],
    "current",
  ],
  ["does not answer", [refused(503, "ServiceUnavailable")], "outdated"],
  ["fails", [state("failing", "the last check failed")], "outdated"],
  ["grants no check", [refused(429)], "outdated"],
] as const)("a wrapper that %s", async (_name, answers, outcome) => {
  expect((await asked(answers)).outcome).toBe(outcome);
});

test("the last state is the reason at the end of the time", async () => {
  const answers = [state("checking"), state("rotating", "waits for a permit: 1 of 6 are away")];
  expect((await asked(answers)).reason).toBe("waits for a permit: 1 of 6 are away");
});

test("the versions of a current program are told, without those that are malformed", async () => {
  const whole = { path: "secret/data/app", version: 8, since: "2026-11-28T10:00:00.000Z" };
  const secrets = [whole, { path: 1 }, null, { ...whole, path: "a\u001b[2Jb" }];
  const told = (await asked([{ state: "current", secrets }])).secrets;
  expect(told).toEqual([whole, { ...whole, path: "a [2Jb" }]);
  expect((await asked([{ state: "current", secrets: "all" }])).secrets).toBeUndefined();
});

test("a missing right ends the command", async () => {
  const denied = new KubernetesError("KUBERNETES_DENIED", "no", { status: 403 });
  await expect(asked([denied])).rejects.toBe(denied);
});
