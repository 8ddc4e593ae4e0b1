import { expect, test } from "bun:test";
import { type KubernetesApi, KubernetesError } from "@svc/kubernetes";
import { waitFor } from "@svc/testing";
import { digestOf } from "../image/digest.ts";
import type { FoundImage } from "../image/found-image.ts";
import { sharedImages } from "./shared-images.ts";

const place = { namespace: "svc-system", name: "images" };
const image: FoundImage = {
  digest: digestOf(Buffer.from("a")),
  entrypoint: ["/bin/app"],
  command: ["serve", "ä"],
  os: "linux",
};
const key = `registry.test/app@${image.digest} linux amd64 arm64`;
const nameOf = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");

/** A Secret, and replicas that share it. */
function stage(data: Record<string, string> = {}) {
  const lines: string[] = [];
  const state = { data, status: 0 };
  const ask: KubernetesApi["ask"] = async ({ method, body }) => {
    const { status } = state;
    if (status > 0) throw new KubernetesError("KUBERNETES_REFUSED", "no", { status });
    if (method === "GET") return { data: { ...state.data } };
    for (const [name, value] of Object.entries<string | null>(Object(body).data)) {
      if (value === null) delete state.data[name];
      else state.data[name] = value;
    }
    return {};
  };
  const log = (_level: string, message: string) => void lines.push(message);
  return { state, lines, replica: () => sharedImages({ ask }, place, log) };
}

test("one replica finds an image that another one has read", async () => {
  const { state, replica } = stage();
  expect(await replica().find([key])).toBeUndefined();
  replica().add(key, image);
  expect(await replica().find(["another", key])).toEqual({ key, image });
  expect(Object.keys(state.data)[0]).toMatch(/^[-._a-zA-Z0-9]+$/);
});

test("malformed entries are unknown images", async () => {
  const entries = ["", "x", "[]", "{}", '{"entrypoint":["a"],"command":[1],"digest":"sha256:1"}'];
  for (const entry of entries) {
    const name = nameOf(key);
    const { replica } = stage({ [name]: Buffer.from(entry).toString("base64") });
    expect(await replica().find([key])).toBeUndefined();
  }
});

test("without the Secret, or the right to it, the log has one line", async () => {
  const { state, lines, replica } = stage();
  const one = replica();
  state.status = 403;
  for (let round = 0; round < 3; round++) expect(await one.find([key])).toBeUndefined();
  one.add(key, image);
  expect(lines).toEqual(["no: this replica shares no images"]);
});

test("old images make room, and a very large one is not kept", async () => {
  const big = { ...image, command: ["x".repeat(3900)] };
  const { state, replica } = stage();
  const one = replica();
  for (let round = 0; round < 200; round++) {
    await one.find([key]);
    one.add(`${key} ${round}`, big);
  }
  one.add(`${key} huge`, { ...image, command: ["x".repeat(5000)] });
  await waitFor(() => Object.keys(state.data).some((name) => name === nameOf(`${key} 199`)), {
    deadlineMs: 10_000,
    what: "the last image",
  });
  const bytes = Object.values(state.data).map((value) => Buffer.from(value, "base64").length);
  expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(512 * 1024);
  expect(bytes.length).toBeGreaterThan(100);
  expect(Object.keys(state.data).join()).not.toContain(nameOf(`${key} huge`));
});
