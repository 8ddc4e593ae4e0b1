import { describe, expect, test } from "bun:test";
import { ImageError } from "../image/image-error.ts";
import type { ImageQuestion } from "../image/image-lookup.ts";
import type { Pod } from "../pod/pod.ts";
import { askPodImages, type PodImagesOptions } from "./ask-pod-images.ts";

const digest = `sha256:${"0".repeat(64)}` as const;
const image = { digest, entrypoint: ["/app"], command: [] };
const signal = new AbortController().signal;

function podOf(more: object = {}, container: object = {}): Pod {
  return {
    metadata: {},
    spec: { containers: [{ name: "app", image: "a.test/app:1", ...container }], ...more },
  };
}

/** Asks for the image of a pod; the lookup's requests go into `asked`. */
async function ask(pod: Pod, more: Partial<PodImagesOptions> = {}) {
  const asked: ImageQuestion[] = [];
  const lookUp: PodImagesOptions["lookup"]["lookUp"] = async (_, question) => {
    asked.push(question);
    return { ...image, digest: Object(digest) };
  };
  const credentials = async () => ({
    entries: [],
    problems: ["read pull secret p: there is none"],
  });
  const options = { lookup: { lookUp }, credentials, architectures: ["amd64", "arm64"], ...more };
  const answers = await askPodImages(options)(["a.test/app:1"], { namespace: "shop", pod, signal });
  return { asked, answer: answers.get("a.test/app:1") };
}

describe("a registry is asked", () => {
  test("for the platforms that the pod may run on", async () => {
    const { asked } = await ask(podOf({ nodeSelector: { "kubernetes.io/arch": "arm64" } }));
    expect(asked[0]?.platform).toEqual({ os: "linux", architectures: ["arm64"] });
  });

  test("again for an image that is always pulled, and not for others", async () => {
    const [always, other] = await Promise.all([
      ask(podOf({}, { imagePullPolicy: "Always" })),
      ask(podOf({}, { imagePullPolicy: "IfNotPresent" })),
    ]);
    expect([always.asked[0]?.fresh, other.asked[0]?.fresh]).toEqual([true, false]);
  });

  test("with the pull secrets that the pod names, in their order", async () => {
    const named: (readonly string[])[] = [];
    const credentials: PodImagesOptions["credentials"] = async (namespace, names) => {
      named.push([namespace, ...names]);
      return { entries: [], problems: [] };
    };
    await ask(podOf({ imagePullSecrets: [{ name: "b" }, {}, { name: "a" }] }), { credentials });
    expect(named).toEqual([["shop", "b", "a"]]);
  });
});

describe("the operator's own logins", () => {
  const login = { source: "aws", hint: "h", credentials: async () => [] };
  const logins = { key: "0", loginsFor: () => [login] };

  test("are those of the pod's namespace", async () => {
    const loginsOf = (namespace: string) => (namespace === "shop" ? logins : undefined);
    expect((await ask(podOf(), { loginsOf })).asked[0]?.logins).toBe(logins);
    const none = (namespace: string) => (namespace === "shop" ? undefined : logins);
    expect((await ask(podOf(), { loginsOf: none })).asked[0]?.logins).toBeUndefined();
  });

  const ecr = "123456789012.dkr.ecr.eu-central-1.amazonaws.com";
  const denied: PodImagesOptions["lookup"]["lookUp"] = async (text) => {
    throw new ImageError("DENIED", `read image ${text} at x: no`, { hint: "add a Secret" });
  };
  const reasonFor = async (image: string, more: Partial<PodImagesOptions> = {}) => {
    const options = { lookup: { lookUp: denied }, architectures: ["amd64"], ...more };
    const credentials = async () => ({ entries: [], problems: [] });
    const asked = askPodImages({ credentials, ...options });
    const answers = await asked([image], { namespace: "shop", pod: podOf(), signal });
    return Object(answers.get(image)).reason;
  };

  test("are available to the author of an image of a cloud's registry", async () => {
    expect(await reasonFor(`${ecr}/app:1`)).toBe(
      `at x: no; add a Secret; or ask the administrator for a login of the operator there: --registry-logins=${ecr}=aws`,
    );
  });

  test("are not spoken of if there is one, or for another registry", async () => {
    const reasons = [
      await reasonFor(`${ecr}/app:1`, { loginsOf: () => logins }),
      await reasonFor("registry.test/app:1"),
      await reasonFor("app:1"),
    ];
    expect(reasons).toEqual(reasons.map(() => "at x: no; add a Secret"));
  });
});

describe("an image that is not found is reported", () => {
  const failing = (code: "DENIED" | "TIMEOUT", found: string): PodImagesOptions["lookup"] => ({
    lookUp: async (text) => {
      throw new ImageError(code, `read image ${text}${found}`, { hint: "do this" });
    },
  });
  const secrets = { imagePullSecrets: [{ name: "p" }] };

  test("with its hint and its code", async () => {
    const codes: string[] = [];
    const onFailure = (code: string) => void codes.push(code);
    const lookup = failing("TIMEOUT", ": not within 7000 ms");
    const { answer } = await ask(podOf(secrets), { lookup, onFailure });
    expect(answer).toEqual({
      ...{ kind: "unreadable", reason: "not within 7000 ms; do this" },
      // The same pod may be admitted in a moment.
      isPassing: true,
    });
    expect(codes).toEqual(["TIMEOUT"]);
  });

  test("with the problems of pull secrets if they may be the reason", async () => {
    const lookup = failing("DENIED", " at a.test: it wants a credential");
    const { answer } = await ask(podOf(secrets), { lookup });
    expect(answer).toEqual({
      kind: "unreadable",
      reason: "at a.test: it wants a credential; read pull secret p: there is none",
    });
  });

  const named = {
    "read image a.test/app:latest at a.test: status 500": "at a.test: status 500; do this",
    'read image "a.test/A b": the name is wrong': "the name is wrong; do this",
    "read image a.test:5000/app@sha256:00: cancelled": "cancelled; do this",
  };
  for (const [message, reason] of Object.entries(named)) {
    test(`without the name that the sentence around it has said: ${message}`, async () => {
      const lookUp = () =>
        Promise.reject(new ImageError("BAD_ANSWER", message, { hint: "do this" }));
      const { answer } = await ask(podOf(), { lookup: { lookUp } });
      expect(answer).toEqual({ kind: "unreadable", reason });
    });
  }

  test("and an unexpected error is thrown", async () => {
    const lookUp = () => Promise.reject(new TypeError("x"));
    const failed = await ask(podOf(), { lookup: { lookUp } }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TypeError);
  });
});
