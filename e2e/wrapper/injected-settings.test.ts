import { describe, expect, test } from "bun:test";
import {
  applyPatch,
  type Container,
  decideInjection,
  type OperatorSettings,
  operatorDefaults,
  type Pod,
  parsePod,
} from "@svc/operator";
import { decided, goldenPods } from "@svc/operator/testdata";
import { parseSettings, type SettingsResult } from "@svc/wrapper/testdata";
import { type StartedContainer, startedContainer } from "./kubelet-expansion.ts";

const WRAPPER = "/opt/svc/bin/svc-wrapper";
const nothing = { entrypoint: [], command: [] };
const elsewhere = {
  SVC_POD_UID: "0d1c2b3a-aaaa-4bbb-8ccc-0123456789ab",
  SVC_EBPF_NODE_IP: "192.0.2.1",
  SVC_POD_NAME: "web-0",
  SVC_POD_NAMESPACE: "shop",
};

/**
 * The settings that the wrapper reads from its words and environment. It may stand behind a
 * launcher.
 */
function readByWrapper({ words, environment }: StartedContainer): SettingsResult {
  expect(words).toContain(WRAPPER);
  const rest = words.slice(words.indexOf(WRAPPER) + 1);
  const dashes = rest.indexOf("--");
  const program = dashes < 0 ? [] : rest.slice(dashes + 1);
  const flags = dashes < 0 ? rest : rest.slice(0, dashes);
  return parseSettings({
    ...{ environment, flags, program },
    tokenPresent: (environment.get("VAULT_TOKEN") ?? "") !== "",
  });
}

/** The program that a container starts in the end: the wrapper's, if it has one. */
function programOf(started: StartedContainer): readonly string[] {
  const read = readByWrapper(started);
  if (read.kind !== "settings") throw new TypeError(JSON.stringify(read));
  const { program } = read.settings;
  return program.kind === "variables"
    ? program.words
    : started.words.slice(started.words.indexOf("--") + 1);
}

function wrappedContainers(pod: Pod): readonly Container[] {
  return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].filter(({ env }) =>
    env?.some(({ name }) => name === "SVC_ORIGINAL_CMD"),
  );
}

describe("the wrapper takes all that is injected into", () => {
  for (const golden of goldenPods()) {
    const decision = decided(golden);
    if (decision.kind !== "patch") continue;
    test(golden.name, () => {
      const parsed = parsePod(applyPatch(golden.pod, decision.patch));
      if (!parsed.ok) throw new TypeError(parsed.problems.join("; "));
      const wrapped = wrappedContainers(parsed.pod);
      expect(wrapped.map(({ name }) => name).toSorted()).toEqual(
        decision.summary.containers.map(({ name }) => name).toSorted(),
      );
      for (const container of wrapped) {
        const read = readByWrapper(
          startedContainer(container, { variables: {}, elsewhere, image: nothing }),
        );
        expect(read.kind === "settings" ? read.warnings : read).toEqual([]);
      }
    });
  }
});

const operator: OperatorSettings = {
  ...operatorDefaults,
  bundle: { kind: "image-volume", image: "svc" },
};
const annotations = {
  "svc.internal/inject": "true",
  "svc.internal/vault-address": "https://vault.test:8200",
  "svc.internal/vault-role": "app",
  "svc.internal/secret-paths": "secret/data/app",
  "svc.internal/env-map": "a=A",
};

test("every container starts the same program behind the wrapper", () => {
  // A small generator with a fixed seed: a failure comes back.
  let seed = 11;
  const pick = (most: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % most;
  };
  const parts = [
    ...["$", "$(", "$(QUOTE)", "$(NAME)", "$(NONE)", "$$", "(", ")", "NAME"],
    ...['"', "\\", " ", "ä", ",", "[", "--", "\n", "'"],
  ];
  const word = () => Array.from({ length: 1 + pick(7) }, () => parts[pick(parts.length)]).join("");
  const words = () => Array.from({ length: pick(4) }, word);
  let withReferences = 0;
  for (let round = 0; round < 2000; round += 1) {
    const image = { entrypoint: words(), command: words() };
    const node = { variables: { QUOTE: 'a"b\\c$(NAME)$$', FROM: "x" }, image };
    const container: Container = {
      ...{ name: "app", image: "app:1", command: words(), args: words() },
      env: [
        { name: "NAME", value: word() },
        { name: "OTHER", valueFrom: {} },
      ],
    };
    const pod = { metadata: { annotations }, spec: { containers: [container] } };
    const images = new Map([["app:1", { kind: "found", config: image } as const]]);
    const expected = startedContainer(container, node).words;
    const decision = decideInjection(
      { pod, operation: "CREATE" },
      { operator, configOf: () => undefined, images },
    );
    // A container that starts nothing is refused, and so it would be by the runtime.
    expect(decision.kind).toBe(expected.length === 0 ? "deny" : "patch");
    if (decision.kind !== "patch") continue;
    const parsed = parsePod(applyPatch(pod, decision.patch));
    const after = parsed.ok ? parsed.pod.spec.containers[0] : undefined;
    if (after === undefined) throw new TypeError("the container is gone");
    if ((after.args ?? []).length > 0) withReferences += 1;
    expect(programOf(startedContainer(after, { ...node, image: nothing }))).toEqual(expected);
  }
  expect(withReferences).toBeGreaterThan(100);
});
