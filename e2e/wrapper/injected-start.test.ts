import { describe, expect, test } from "bun:test";
import {
  applyPatch,
  type Container,
  decideInjection,
  type OperatorSettings,
  operatorDefaults,
  parsePod,
} from "@svc/operator";
import { freePort, waitFor } from "@svc/testing";
import { fixture } from "../harness/programs/fixture-programs.ts";
import { setStage } from "../harness/wrapper/stage.ts";
import {
  type Launch,
  runWrapper,
  startWrapper,
  wrapperPath,
} from "../harness/wrapper/wrapper-process.ts";
import { type NodeKnowledge, startedContainer } from "./kubelet-expansion.ts";

const { environment, password } = setStage();
const operator: OperatorSettings = {
  ...operatorDefaults,
  bundle: { kind: "image-volume", image: "svc" },
};
const image = { entrypoint: [fixture("prints-argv"), "$$", "$(HOME)"], command: ["of the image"] };
const node: NodeKnowledge = { variables: { QUOTE: 'say "x", \\ and $(HOME)' }, image };

/** A container with its wrapper, its vault being the stage's. */
function injected(container: Partial<Container>, annotations: object = {}): Container {
  const { VAULT_ADDR, VAULT_TOKEN = "", SVC_SECRET_PATHS, SVC_ENV_MAP } = environment;
  const given = { inject: "true", "vault-address": VAULT_ADDR, "secret-paths": SVC_SECRET_PATHS };
  const said = Object.entries({ ...given, "env-map": SVC_ENV_MAP, ...annotations });
  const env = [
    { name: "VAULT_TOKEN", value: VAULT_TOKEN },
    { name: "HEALTH_ADDR", value: "127.0.0.1:0" },
  ];
  // Without its own probe it needs a port, and containers of this test share the machine's.
  const startupProbe = { tcpSocket: { port: 9000 } };
  const named = said.map(([name, text]) => [`svc.internal/${name}`, text]);
  const pod = {
    metadata: { annotations: Object.fromEntries(named) },
    spec: {
      containers: [{ name: "app", image: "app:1", env, startupProbe, ...container }],
    },
  };
  const images = new Map([["app:1", { kind: "found", config: image } as const]]);
  const context = { operator, configOf: () => undefined, images };
  const decision = decideInjection({ pod, operation: "CREATE" }, context);
  if (decision.kind !== "patch") throw new TypeError(JSON.stringify(decision));
  const parsed = parsePod(applyPatch(pod, decision.patch));
  const [after] = parsed.ok ? parsed.pod.spec.containers : [];
  if (after === undefined) throw new TypeError("the container is gone");
  return after;
}

/** The launch by the node, with the compiled wrapper in place of the bundle's. */
function launchOf(container: Container, words: readonly string[]): Launch {
  const { environment: variables } = startedContainer(container, node);
  const dashes = words.indexOf("--");
  return {
    environment: Object.fromEntries(variables),
    flags: words.slice(1, dashes < 0 ? undefined : dashes),
    ...(dashes >= 0 && { program: words.slice(dashes + 1) }),
  };
}

const started = (container: Container) => startedContainer(container, node).words;

describe("an injected container starts", () => {
  const argv = fixture("prints-argv");
  const cases: Readonly<Record<string, readonly [Partial<Container>, words: readonly string[]]>> = {
    "its image's command, to the letter": [{}, ["$$", "$(HOME)", "of the image"]],
    "its args behind its image's entrypoint": [{ args: ["a", ""] }, ["$$", "$(HOME)", "a", ""]],
    "its args with expanded references": [
      { args: ["--x=$(QUOTE)", "$$(QUOTE)", "$(NONE)"] },
      ["$$", "$(HOME)", '--x=say "x", \\ and $(HOME)', "$(QUOTE)", "$(NONE)"],
    ],
    "its own command": [{ command: [argv, "$$5", "ä b"] }, ["$5", "ä b"]],
  };
  for (const [name, [container, words]] of Object.entries(cases)) {
    test(name, async () => {
      const made = injected(container);
      const { stdout, stderr, exitCode } = await runWrapper(launchOf(made, started(made)));
      expect([exitCode, stdout.toString()], stderr).toEqual([
        0,
        words.map((word) => `${word}\0`).join(""),
      ]);
    });
  }
});

describe("an injected container starts its program inside of", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    tini: ["tini", "-s", "-g", "--"],
    "dumb-init": ["dumb-init", "--rewrite", "15:2"],
    catatonit: ["catatonit", "-g"],
  };
  for (const [name, launcher] of Object.entries(cases)) {
    test(name, async () => {
      const check = 'test "$DB_PASSWORD" = "$0" && echo "same $1"; exit 7';
      const made = injected({ command: [...launcher, "/bin/sh", "-c", check, password, "a b"] });
      const words = started(made).map((word) =>
        word === "/opt/svc/bin/svc-wrapper" ? wrapperPath : word,
      );
      expect(words[0]).toBe(launcher[0] ?? "");
      const { environment: variables = {} } = launchOf(made, []);
      const ended = await runWrapper({ environment: variables, instead: words });
      expect([ended.exitCode, ended.stdout.toString()], ended.stderr).toEqual([7, "same a b\n"]);
    });
  }
});

test("an exec probe with its own wrapper gets the secrets beside the running program", async () => {
  const command = ["/bin/sh", "-c", 'test "$DB_PASSWORD" = "$0" && echo same', password];
  const container = injected(
    {
      command: ["/bin/sh", "-c", "echo up; exec sleep 1000"],
      livenessProbe: { exec: { command } },
    },
    { "unprotected-probes": "true" },
  );
  await using running = await startWrapper(launchOf(container, started(container)));
  await running.prints("up");
  const probe = container.livenessProbe?.exec?.command ?? [];
  const { stdout, stderr, exitCode } = await runWrapper(launchOf(container, probe));
  expect([exitCode, stdout.toString()], stderr).toEqual([0, "same\n"]);
});

/** The words of a container's startup probe, with the compiled wrapper in place of the bundle's. */
function probeWords({ startupProbe }: Container): readonly string[] {
  return (startupProbe?.exec?.command ?? []).map((word) => {
    return word === "/opt/svc/bin/svc-wrapper" ? wrapperPath : word;
  });
}

const inTime = { deadlineMs: 10_000, what: "the probe" };

test("the startup probe that the operator adds succeeds once the program runs, on the loopback", async () => {
  const env = [
    { name: "VAULT_TOKEN", value: environment["VAULT_TOKEN"] ?? "" },
    // No client outside of the pod reaches it: as behind a mesh or a network policy.
    { name: "HEALTH_ADDR", value: `127.0.0.1:${freePort()}` },
  ];
  const container = injected({ command: [fixture("waits")], env, startupProbe: null });
  const { environment: variables = {} } = launchOf(container, []);
  const ask = () => runWrapper({ environment: variables, instead: probeWords(container) });
  expect((await ask()).exitCode).toBe(1);
  await using running = await startWrapper(launchOf(container, started(container)));
  await running.prints("ready");
  await waitFor(async () => (await ask()).exitCode === 0, inTime);
});

describe("the command of a startup probe runs once the program does", () => {
  const command = ["/bin/sh", "-c", 'test "$DB_PASSWORD" && echo secret || echo none'];
  const cases = { "without secrets": "none", "with secrets if that is asked": "secret" };
  for (const [what, printed] of Object.entries(cases)) {
    test(what, async () => {
      const env = [
        { name: "VAULT_TOKEN", value: environment["VAULT_TOKEN"] ?? "" },
        { name: "HEALTH_ADDR", value: `127.0.0.1:${freePort()}` },
      ];
      const container = injected(
        { command: [fixture("waits")], env, startupProbe: { exec: { command } } },
        { "unprotected-probes": String(printed === "secret") },
      );
      const words = probeWords(container);
      const ask = () => runWrapper(launchOf(container, words));
      const early = await ask();
      expect([early.exitCode, early.stdout.toString()]).toEqual([1, ""]);
      await using running = await startWrapper(launchOf(container, started(container)));
      await running.prints("ready");
      const late = await waitFor(async () => {
        const asked = await ask();
        return asked.exitCode === 0 ? asked : undefined;
      }, inTime);
      expect(late.stdout.toString()).toBe(`${printed}\n`);
    });
  }
});
