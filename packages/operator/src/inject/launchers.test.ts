import { describe, expect, test } from "bun:test";
import type { Container } from "../pod/pod.ts";
import { injectedContainer, type SmallPod } from "./testdata/injected-container.ts";

const W = "/opt/svc/bin/svc-wrapper";
const inImage = (entrypoint: readonly string[], command: readonly string[]) => ({
  image: { entrypoint, command },
});
const inPod = (...command: readonly string[]) => ({ container: { command } });

/** The words of the container in the end. */
const inside: Readonly<Record<string, readonly [small: SmallPod, words: readonly string[]]>> = {
  "tini, behind its dashes": [
    inPod("/usr/bin/tini", "-g", "--", "/app", "-x"),
    ["/usr/bin/tini", "-g", "--", W, "--", "/app", "-x"],
  ],
  "tini without dashes": [inPod("tini", "/app"), ["tini", "--", W, "--", "/app"]],
  "tini with the value of an option": [
    inPod("tini", "-vp", "SIGTERM", "-e", "143", "/app", "--", "x"),
    ["tini", "-vp", "SIGTERM", "-e", "143", "--", W, "--", "/app", "--", "x"],
  ],
  "tini with an option's value in the same word": [
    inPod("tini", "-e143", "/app"),
    ["tini", "-e143", "--", W, "--", "/app"],
  ],
  "the tini of an image, whose words Kubernetes does not expand": [
    inImage(["/sbin/tini", "--"], ["/app", "$(HOME)"]),
    ["/sbin/tini", "--", W, "--", "/app", "$$(HOME)"],
  ],
  "the tini of an image, with the pod's arguments": [
    { ...inImage(["/sbin/tini", "--"], ["/app"]), container: { args: ["/other", "$(HOME)"] } },
    ["/sbin/tini", "--", W, "--", "/other", "$(HOME)"],
  ],
  "dumb-init": [
    inPod("dumb-init", "--rewrite", "15:3", "-c", "/app"),
    ["dumb-init", "--rewrite", "15:3", "-c", "--", W, "--", "/app"],
  ],
  catatonit: [inPod("catatonit", "-g", "--", "/app"), ["catatonit", "-g", "--", W, "--", "/app"]],
};

describe("the wrapper is inside of", () => {
  for (const [name, [small, words]] of Object.entries(inside)) {
    test(name, () => {
      const container = injectedContainer(small);
      expect(wordsOf(container)).toEqual(words);
      // The admission policy of the chart looks there.
      expect(container.command?.at(-1)).toBe(W);
    });
  }
});

const outside: Readonly<Record<string, SmallPod>> = {
  "a launcher that is not known": inPod("/launch", "--", "/app"),
  "a launcher without a program": inPod("tini", "-h"),
  "a program called entrypoint that is not Tekton's": inPod("/entrypoint", "-entrypoint", "x"),
  "a Tekton step whose image has the command": inPod("entrypoint", "-termination_path", "/t", "--"),
};

describe("the wrapper is in front of", () => {
  for (const [name, small] of Object.entries(outside)) {
    test(name, () => expect(wordsOf(injectedContainer(small))).toEqual([W]));
  }
});

test("a launcher keeps the agent from giving the wrapper a token", () => {
  const operator = { bundle: { kind: "csi" }, tokenSource: "agent" } as const;
  const volumes = (small: SmallPod) =>
    injectedContainer({ ...small, operator }).volumeMounts?.map(({ mountPath }) => mountPath);
  expect(volumes(inPod("/app"))).not.toEqual(volumes(inPod("tini", "/app")));
});

test("containers names a container that serves a launcher's system", () => {
  const small = { annotations: { containers: "app" }, ...inPod("argoexec", "wait") };
  expect(wordsOf(injectedContainer(small))).toEqual([W]);
});

function wordsOf({ command, args }: Container): readonly string[] {
  return [...(command ?? []), ...(args ?? [])];
}
