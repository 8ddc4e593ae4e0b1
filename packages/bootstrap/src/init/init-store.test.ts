import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callBao, refusal, sealBao } from "@svc/testing";
import type { StoredKeys } from "../secret/secret-phase.ts";
import { onWrite, type RunStage, runStage } from "../testdata/run-stage.ts";

const TIMEOUT_MS = 60_000;

async function keysOf(stage: RunStage): Promise<StoredKeys> {
  const phase = await stage.phase();
  if (phase.phase !== "initialised") throw new TypeError(`it is ${phase.phase}`);
  return phase;
}

const textOf = (secret: { readonly byteLength: number; writeTo(bytes: Uint8Array): void }) => {
  const bytes = new Uint8Array(secret.byteLength);
  secret.writeTo(bytes);
  return new TextDecoder().decode(bytes);
};

const setUp = ["kv-mount", "auth-mount", "auth-config", "policy", "role"];
const all = (outcome: string) => setUp.map((step) => `${step} ${outcome}`);

describe("a store, run after run:", () => {
  let stage: RunStage;
  beforeAll(async () => {
    stage = await runStage();
  }, TIMEOUT_MS);
  afterAll(() => stage[Symbol.asyncDispose]());

  test("a rehearsal says everything, and writes nothing", async () => {
    const { steps, error } = await stage.rehearse();
    expect(error).toBeUndefined();
    expect(steps).toEqual(["initialise created", "unseal store-0 updated", ...all("created")]);
    expect(await stage.phase()).toEqual({ phase: "absent" });
    expect(stage.server.requests.filter(({ query }) => query["dryRun"] === "All")).toHaveLength(1);
  });

  test("the first run does everything", async () => {
    const { steps, error, result } = await stage.init();
    expect(error).toBeUndefined();
    expect(steps).toEqual([
      ...["initialise created", "unseal store-0 updated", "note-cluster updated"],
      ...[...all("created"), "note-settings updated"],
    ]);
    expect(result?.keys).toMatchObject({ threshold: 3, shares: { length: 5 }, revoking: false });
    expect(result?.secret).toBe(stage.secret.name);
  });

  test("the next one changes nothing, and warns about settings that come too late", async () => {
    const environment = { BOOTSTRAP_SHAMIR_SHARES: "3", BOOTSTRAP_SHAMIR_THRESHOLD: "2" };
    const { steps, error } = await stage.init({ environment });
    expect(error).toBeUndefined();
    expect(steps).toEqual([
      "initialise unchanged",
      expect.stringMatching(/^warning: .*BOOTSTRAP_SHAMIR_SHARES/),
      ...["note-cluster unchanged", ...all("unchanged"), "note-settings unchanged"],
      "unseal store-0 unchanged",
    ]);
  });

  test("a run that wants a role for hints makes it beside the others, once", async () => {
    const environment = { BOOTSTRAP_HINTS_ROLE: "svc-version-hints" };
    const made = await stage.init({ environment });
    expect(made.steps).toContainValues(["hints-policy created", "hints-role created"]);
    const again = (await stage.init({ environment })).steps;
    expect(again).toContainValues(["hints-policy unchanged", "hints-role unchanged"]);
  });

  const administrate = async (path: string, body: object) => {
    const { rootToken } = await keysOf(stage);
    const own = { address: stage.nodes[0].address, rootToken: rootToken ? textOf(rootToken) : "" };
    await callBao(own, { method: "POST", path, body });
  };

  test("tokens that end before the role's time are a warning", async () => {
    await administrate("sys/auth/kubernetes/tune", { max_lease_ttl: "1800s" });
    expect((await stage.init()).steps).toContain(
      "warning: BOOTSTRAP_ROLE_TTL: tokens end after 1800 s, not 3600 s: sys/auth/kubernetes/tune has max_lease_ttl=1800",
    );
    await administrate("sys/auth/kubernetes/tune", { max_lease_ttl: "768h" });
    expect((await stage.init()).steps.join()).not.toContain("warning");
  });

  test("other engines are mounted", async () => {
    await administrate("sys/mounts/keys", { type: "transit" });
    await administrate("sys/mounts/old", { type: "kv", options: { version: "1" } });
    await administrate("sys/auth/people", { type: "userpass" });
  });

  const blocked: readonly (readonly [string, Readonly<Record<string, string>>, object])[] = [
    [
      "a KV engine at the path of another mount",
      { BOOTSTRAP_KV_PATH: "keys" },
      { code: "MOUNT_IN_THE_WAY", message: expect.stringContaining('engine of type "transit"') },
    ],
    [
      "a KV engine of version 1",
      { BOOTSTRAP_KV_PATH: "old" },
      {
        ...{ code: "MOUNT_IN_THE_WAY", message: expect.stringContaining("engine of version 1") },
        hint: expect.stringContaining("bao kv enable-versioning old"),
      },
    ],
    [
      "a KV engine below another mount",
      { BOOTSTRAP_KV_PATH: "secret/below" },
      { code: "MOUNT_IN_THE_WAY", message: expect.stringContaining("there is a mount at secret/") },
    ],
    [
      "an auth method at the path of another kind",
      { BOOTSTRAP_AUTH_PATH: "people" },
      {
        code: "AUTH_IN_THE_WAY",
        message: expect.stringContaining('auth method of type "userpass"'),
      },
    ],
    [
      "an auth method below another one",
      { BOOTSTRAP_AUTH_PATH: "kubernetes/below" },
      { code: "AUTH_IN_THE_WAY", message: expect.stringContaining("a mount at auth/kubernetes/") },
    ],
  ];
  for (const [name, environment, error] of blocked) {
    test(`${name} is in the way, also in a rehearsal`, async () => {
      expect((await stage.init({ environment })).error).toMatchObject(error);
      expect((await stage.rehearse({ environment })).error).toMatchObject(error);
    });
  }

  test("a rehearsal names the fields that would change, and changes none", async () => {
    const environment = { BOOTSTRAP_ROLE_TTL: "2h", BOOTSTRAP_POLICY_SCOPE: "service-account" };
    const { steps, error } = await stage.rehearse({ environment });
    expect(error).toBeUndefined();
    expect(steps).toEqual([
      ...["initialise unchanged", "unseal store-0 unchanged", "kv-mount unchanged"],
      ...["auth-mount unchanged", "auth-config unchanged", "policy updated", "role updated"],
    ]);
    expect((await stage.rehearse({ environment })).steps).toEqual(steps);
  });

  test("a policy of each service account is made for the auth method", async () => {
    const environment = { BOOTSTRAP_POLICY_SCOPE: "service-account" };
    expect((await stage.init({ environment })).steps).toContain("policy updated");
    expect((await stage.init({ environment })).steps).toContain("policy unchanged");
  });

  test("another API server for the review is a change", async () => {
    const environment = { BOOTSTRAP_KUBERNETES_HOST: "https://api.test:6443" };
    expect((await stage.init({ environment })).steps).toContain("auth-config updated");
    expect((await stage.init()).steps).toContain("auth-config updated");
  });

  test("a review by the pod's own account does not replace one that was set", async () => {
    const environment = { BOOTSTRAP_KUBERNETES_CA_CERT: "", BOOTSTRAP_TOKEN_REVIEWER_JWT_FILE: "" };
    expect((await stage.init({ environment })).error).toMatchObject({
      code: "REVIEWER_IN_THE_WAY",
    });
  });

  test("a sealed store is opened, and its set-up cannot be rehearsed", async () => {
    const { rootToken } = await keysOf(stage);
    if (rootToken === undefined) throw new TypeError("no root token");
    await sealBao({ address: stage.nodes[0].address, rootToken: textOf(rootToken) });
    expect((await stage.rehearse()).steps).toEqual([
      ...["initialise unchanged", "unseal store-0 updated", ...all("skipped")],
    ]);
    expect((await stage.init()).steps).toContain("unseal store-0 updated");
  });

  test("pods that do not run are left, when the others are set up", async () => {
    stage.putPod(1, "Pending");
    const { steps, error } = await stage.init();
    expect(steps.at(-1)).toBe("unseal store-0 unchanged");
    expect(error).toMatchObject({
      code: "PODS_LEFT",
      message: "unseal the store's pods: store-1 is Pending",
    });
    stage.server.remove("/api/v1/namespaces/1/pods/store-1");
  });

  test("the service is asked at the end, until it serves", async () => {
    let isSealed = true;
    await using _ = stage.throughGateway((path, pass) => {
      if (path !== "/v1/sys/health" || !isSealed) return pass();
      isSealed = false;
      return Response.json({ initialized: true, sealed: true }, { status: 503 });
    }, "service");
    const address = stage.nodes[0].address.replace("127.0.0.1", "127.9.0.1");
    const { steps, error } = await stage.init({ environment: { STORE_ADDR: address } });
    expect(error).toBeUndefined();
    expect(steps.at(-1)).toBe(`waiting: the service at ${address}: it is sealed`);
  });

  test("the root token goes, and is needed again for other settings alone", async () => {
    const { rootToken } = await keysOf(stage);
    const revoked = await stage.init({ environment: { BOOTSTRAP_REVOKE_ROOT: "true" } });
    expect(revoked.steps.at(-1)).toBe("revoke-root updated");
    expect(await keysOf(stage)).toMatchObject({ rootToken: undefined, revoking: false });
    const again = await stage.init({ environment: { BOOTSTRAP_REVOKE_ROOT: "true" } });
    expect(again.steps).toEqual([
      ...["initialise unchanged", "note-cluster unchanged", ...all("skipped")],
      ...["unseal store-0 unchanged", "revoke-root unchanged"],
    ]);
    const environment = { BOOTSTRAP_ROLE_TTL: "5h" };
    const other = {
      code: "ROOT_TOKEN_MISSING",
      message: expect.stringContaining("with other settings"),
    };
    expect((await stage.init({ environment })).error).toMatchObject(other);
    expect((await stage.rehearse({ environment })).error).toMatchObject(other);
    const token = rootToken === undefined ? "" : textOf(rootToken);
    // A token that is refused is a mistake, even if none is needed.
    expect((await stage.init({ token })).error).toMatchObject({
      ...{
        code: "ROOT_TOKEN_MISSING",
        message: "use the token of standard input: the store refuses it",
      },
    });
  });
});

describe("a run that cannot keep the keys does not initialise the store:", () => {
  let stage: RunStage;
  beforeAll(async () => {
    stage = await runStage();
  }, TIMEOUT_MS);
  afterAll(() => stage[Symbol.asyncDispose]());

  const hasKeys = (data: object) => "root-token" in data;
  const rows = [
    [
      "it may not write them",
      onWrite(
        (data) => hasKeys(data),
        () => refusal(403, "Forbidden", "no right to update"),
      ),
      { code: "KUBERNETES_DENIED", message: expect.stringContaining("no right to update") },
    ],
    [
      "a webhook changes them",
      onWrite(
        (data, isTried) => hasKeys(data) && isTried,
        ({ body }) => {
          const { data, ...rest } = Object(body);
          return Response.json({ ...rest, data: { ...data, "root-token": btoa("other") } });
        },
      ),
      { code: "OUTPUT_NOT_KEPT", message: expect.stringContaining("an admission webhook changes") },
    ],
  ] as const;
  for (const [name, intercept, error] of rows) {
    test(`${name}, and the next run may begin at once`, async () => {
      stage.server.remove(stage.path);
      stage.server.intercept = intercept;
      const ended = await stage.init();
      stage.server.intercept = () => undefined;
      expect(ended.error).toMatchObject(error);
      expect(ended.steps).toEqual(["initialise failed"]);
      expect(await stage.phase()).toMatchObject({ phase: "reserved", holder: "run-1", sinceMs: 0 });
      stage.server.intercept = intercept;
      expect((await stage.rehearse()).error).toMatchObject(error);
      stage.server.intercept = () => undefined;
      const response = await fetch(`${stage.nodes[0].address}/v1/sys/init`);
      expect(await response.json()).toEqual({ initialized: false });
    });
  }

  const held = { holder: "run-9", resets: 0 };
  const refused = [
    [
      "another run holds the Secret",
      { ...held, phase: "reserved", sinceMs: Date.now() },
      {
        code: "OUTPUT_RESERVED",
        message: expect.stringContaining('"run-9" has reserved it since'),
      },
    ],
    ["the Secret has keys of a store", "keys", { code: "STORE_EMPTY" }],
    ["the Secret is another one", "foreign", { code: "OUTPUT_FOREIGN" }],
  ] as const;
  for (const [name, phase, error] of refused) {
    test(`${name}, and a rehearsal says the same`, async () => {
      if (phase === "keys") {
        const { storedKeys } = await import("../secret/testdata/secret-objects.ts");
        stage.putPhase(storedKeys);
      } else if (phase === "foreign") {
        stage.server.put(stage.path, { metadata: {}, type: "Opaque", data: { a: btoa("b") } });
      } else stage.putPhase(phase);
      expect((await stage.init()).error).toMatchObject(error);
      expect((await stage.rehearse()).error).toMatchObject(error);
    });
  }

  test("it looks again if another run has gone on in between", async () => {
    stage.putPhase({ ...held, phase: "reserved", sinceMs: Date.now() });
    let isFirst = true;
    stage.server.intercept = ({ method, path }) => {
      if (!isFirst || method !== "GET" || path !== stage.path) return undefined;
      isFirst = false;
      const seen = stage.server.get(path);
      stage.putPhase({ ...held, phase: "reserved", sinceMs: 1 });
      return Response.json(seen);
    };
    // This one may write, and no other Secret: it needs none.
    const beside = onWrite(
      (data) => Object.keys(data).length === 0,
      ({ method }) => (method === "POST" ? refusal(403, "Forbidden", "not you") : undefined),
    );
    const { intercept } = stage.server;
    stage.server.intercept = (request) => intercept(request) ?? beside(request);
    const { steps, error } = await stage.init();
    stage.server.intercept = () => undefined;
    expect(error).toBeUndefined();
    expect(steps[0]).toBe("initialise created");
  });

  test("without its Secret an initialised store is left alone", async () => {
    stage.server.remove(stage.path);
    const error = { code: "OUTPUT_MISSING" };
    expect((await stage.init()).error).toMatchObject(error);
    expect((await stage.rehearse()).error).toMatchObject(error);
  });
});

describe("the answer with the keys is lost:", () => {
  const gone = () => new Response("gateway timeout", { status: 504 });
  const isInit = (path: string) => path === "/v1/sys/init";

  test("the Secret says which pod may have given keys, and to which run", async () => {
    await using stage = await runStage();
    await using _ = stage.throughGateway(async (path, pass) => {
      const answer = await pass();
      return isInit(path) ? gone() : answer;
    });
    const { error } = await stage.init();
    expect(error).toMatchObject({ code: "INIT_ANSWER_LOST" });
    const phase = await stage.phase();
    expect(phase).toMatchObject({ phase: "initialising", holder: "run-1", sinceMs: 0, shares: 5 });
    expect(phase).toMatchObject({ pod: { name: "store-0" }, beside: expect.any(String) });
    expect((await stage.init({ holder: "run-2" })).error).toMatchObject({
      code: "OUTPUT_UNFINISHED",
    });
  });

  test("before it came to the store: the next run initialises it", async () => {
    await using stage = await runStage();
    const first = await (async () => {
      await using _ = stage.throughGateway((path, pass) => (isInit(path) ? gone() : pass()));
      return await stage.init();
    })();
    expect(first.error).toMatchObject({ code: "SERVER_ERROR" });
    expect(await stage.phase()).toMatchObject({ phase: "reserved", sinceMs: 0 });
    expect((await stage.init({ holder: "run-2" })).error).toBeUndefined();
  });

  test("a store that unseals itself is not initialised", async () => {
    await using stage = await runStage();
    await using _ = stage.throughGateway(async (path, pass) => {
      const answer = await pass();
      if (path !== "/v1/sys/seal-status") return answer;
      return Response.json({ ...Object(await answer.json()), type: "awskms" });
    });
    const error = {
      code: "SEAL_UNSUPPORTED",
      message: expect.stringContaining('of type "awskms"'),
    };
    expect((await stage.rehearse()).error).toMatchObject(error);
    expect((await stage.init()).error).toMatchObject(error);
  });
});
