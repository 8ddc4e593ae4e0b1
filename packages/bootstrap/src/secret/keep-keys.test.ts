import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { refusal, type ServedRequest, startObjectServer } from "@svc/testing";
import { Secret } from "@svc/vault";
import { connectKubernetes } from "../kubernetes/connect-kubernetes.ts";
import { keepKeys, type NewKeys } from "./keep-keys.ts";
import { parsePhase } from "./parse-phase.ts";
import type { SecretClient } from "./secret-object.ts";
import type { SecretPhase } from "./secret-phase.ts";
import { initialising, reserved, resetting, storedKeys } from "./testdata/secret-objects.ts";
import { writePhase } from "./write-phase.ts";

const server = startObjectServer();
afterAll(() => server[Symbol.asyncDispose]());

const collection = "/api/v1/namespaces/vault/secrets";
const path = `${collection}/keys`;
const soon = { deadlineMs: 30, intervalMs: 1 };
const { shares, threshold, encryption, createdMs, resets } = storedKeys;
const keys: NewKeys = {
  ...{ shares, threshold, encryption, createdMs, resets },
  rootToken: new Secret("s.root"),
};

let secret: SecretClient;
beforeEach(async () => {
  server.remove();
  server.requests.length = 0;
  server.intercept = () => undefined;
  const cluster = await connectKubernetes(
    { kind: "kubeconfig", paths: [server.kubeconfig] },
    { timeoutMs: 200, bytes: 100_000 },
  );
  // Each client has its own name for a Secret beside the one.
  secret = cluster.secret({ namespace: "vault", name: "keys" });
});

function put(phase: Exclude<SecretPhase, { readonly phase: "absent" | "empty" | "foreign" }>) {
  const { labels, annotations, type, data } = writePhase(phase);
  const texts = [...data].map(([name, bytes]) => [name, Buffer.from(bytes).toString("base64")]);
  server.put(path, {
    metadata: { name: "keys", labels, annotations },
    type,
    data: Object.fromEntries(texts),
  });
}

const isWrite = ({ method }: ServedRequest) => method === "PUT" || method === "POST";
const kept = async () => parsePhase(await secret.read());
const sharesOf = (object: unknown): number =>
  Object.keys(Object(Object(object).data)).filter((name) => name.startsWith("unseal-key-")).length;
const beside = () => {
  const names = server.requests.flatMap(({ method, body }) =>
    method === "POST" ? [String(Object(Object(body).metadata).name)] : [],
  );
  return names.filter((name) => name !== "keys");
};

/** Fails the first writes, or answers after them. */
function firstWrites(
  count: number,
  answer: (request: ServedRequest) => Response | undefined,
): void {
  let left = count;
  server.intercept = (request) => {
    if (!isWrite(request) || left === 0) return undefined;
    left -= 1;
    return answer(request);
  };
}

describe("new keys are written into the Secret, and read back,", () => {
  const rows: readonly (readonly [string, () => void])[] = [
    ["over the reservation of the run", () => put(initialising)],
    ["over that of any other run", () => put({ ...reserved, holder: "another" })],
    ["if it was deleted meanwhile", () => undefined],
    [
      "if another client has changed it in between",
      () => {
        put(initialising);
        firstWrites(1, () => {
          put({ ...reserved, holder: "another" });
          return undefined;
        });
      },
    ],
    [
      "if it is deleted in between",
      () => {
        put(initialising);
        firstWrites(1, () => {
          server.remove(path);
          return undefined;
        });
      },
    ],
    [
      "if the API server is away for a moment",
      () => {
        put(initialising);
        firstWrites(2, () => refusal(503, "ServiceUnavailable", "away"));
      },
    ],
    [
      "if the right to do it is missing for a moment",
      () => {
        put(initialising);
        firstWrites(2, () => refusal(403, "Forbidden", "not you"));
      },
    ],
  ];
  for (const [name, prepare] of rows) {
    test(name, async () => {
      prepare();
      const patience = { deadlineMs: 20_000, intervalMs: 1 };
      expect(await keepKeys(secret, keys, patience)).toMatchObject({
        phase: "initialised",
        clusterId: undefined,
      });
      expect(await kept()).toMatchObject({
        phase: "initialised",
        shares: { length: 3 },
        threshold: 2,
      });
      expect(beside()).toEqual([]);
    });
  }

  test("though the answer of the write is lost, and once", async () => {
    put(initialising);
    firstWrites(1, ({ body }) => {
      server.put(path, Object(body));
      return refusal(500, "InternalError", "the answer is lost");
    });
    await keepKeys(secret, keys, { deadlineMs: 20_000, intervalMs: 1 });
    expect(server.requests.filter(isWrite)).toHaveLength(1);
  });
});

describe("new keys go into a Secret beside it if", () => {
  const rows: readonly (readonly [string, () => void])[] = [
    ["it has keys of another store", () => put({ ...storedKeys, threshold: 1 })],
    [
      "it is another one",
      () => server.put(path, { metadata: {}, type: "Opaque", data: { a: btoa("b") } }),
    ],
  ];
  for (const [name, prepare] of rows) {
    test(name, async () => {
      prepare();
      const before = server.get(path);
      const error = await keepKeys(secret, keys, soon).catch((thrown: unknown) => thrown);
      const [place = "", ...more] = beside();
      expect(more).toEqual([]);
      expect(error).toMatchObject({
        code: "OUTPUT_BESIDE",
        message: `store the keys in ${secret.name}: it was changed meanwhile: they are in the secret "${place}"`,
      });
      expect(place).toMatch(/^keys-[0-9a-f]{8}$/);
      expect(sharesOf(server.get(`${collection}/${place}`))).toBe(3);
      expect(server.get(path)).toEqual(before);
    });
  }

  test("the right to write the one is missing to the end", async () => {
    put(initialising);
    server.intercept = ({ method }) =>
      method === "PUT" ? refusal(403, "Forbidden", "not you") : undefined;
    const error = await keepKeys(secret, keys, soon).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "OUTPUT_BESIDE" });
    expect(sharesOf(server.get(`${collection}/${beside()[0]}`))).toBe(3);
  });
});

describe("new keys are void, and written nowhere, after one more reset of the store:", () => {
  const rows = [
    ["it is reset now", { ...resetting, resets: 1 }],
    ["another run may have new keys", { ...reserved, resets: 1 }],
    ["it has new keys", { ...storedKeys, resets: 1 }],
  ] as const;
  for (const [name, phase] of rows) {
    test(name, async () => {
      put(phase);
      const before = server.get(path);
      const error = await keepKeys(secret, keys, soon).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: "STORE_RESET" });
      expect(server.get(path)).toEqual(before);
      expect(beside()).toEqual([]);
    });
  }
});

test("keys that can be written nowhere are an error with both reasons and without the keys", async () => {
  put(initialising);
  server.intercept = (request) =>
    isWrite(request) ? refusal(403, "Forbidden", "not you") : undefined;
  const error = await keepKeys(secret, keys, soon).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "KEYS_NOT_STORED" });
  expect(String(error)).toContain(`write ${secret.name}`);
  expect(String(error)).toContain('; beside it: create secret "keys-');
  expect(Bun.inspect(error)).not.toContain("c2hhcmUx");
});

test("keys that a webhook spoils are never taken for stored", async () => {
  put(initialising);
  server.intercept = (request) => {
    if (!isWrite(request)) return undefined;
    const { metadata, ...body } = Object(request.body);
    const spoilt = { ...body, metadata, data: { ...body.data, "unseal-key-1": btoa("spoilt") } };
    const { pathname } = new URL(request.path, server.address);
    server.put(request.method === "PUT" ? pathname : `${pathname}/${metadata.name}`, spoilt);
    return Response.json(spoilt);
  };
  const error = await keepKeys(secret, keys, soon).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "KEYS_NOT_STORED" });
  expect(String(error)).toContain("changes the written data");
});
