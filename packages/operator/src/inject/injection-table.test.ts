import { describe, expect, test } from "bun:test";
import type { Container, EnvEntry } from "../pod/pod.ts";
import type { SvcConfigSpec } from "../svc-config/svc-config.ts";
import { injectedContainer } from "./testdata/injected-container.ts";

/**
 * Every row of the specification's table: from the annotation, from the SvcConfig, and without
 * either.
 */
interface Row {
  readonly annotation?: readonly [name: string, text: string];
  readonly config?: readonly [spec: SvcConfigSpec, text: string];
  /** Undefined if the variable is then not set. */
  readonly otherwise?: string;
}

const agentSocket = "unix:///var/run/svc/agent.sock";
const rows: Readonly<Record<string, Row>> = {
  VAULT_ADDR: {
    annotation: ["vault-address", "https://a.test:8200"],
    config: [{ vaultAddress: "https://c.test:8200" }, "https://c.test:8200"],
  },
  VAULT_AUTH_METHOD: {
    annotation: ["vault-auth-method", "token"],
    config: [{ vaultAuthMethod: "token" }, "token"],
    otherwise: "kubernetes",
  },
  VAULT_AUTH_ROLE: {
    annotation: ["vault-role", "annotated"],
    config: [{ vaultRole: "configured" }, "configured"],
  },
  VAULT_AUTH_MOUNT_PATH: {
    annotation: ["vault-auth-path", "cluster-a"],
    config: [{ vaultAuthPath: "cluster-c" }, "cluster-c"],
  },
  SVC_SECRET_PATHS: {
    annotation: ["secret-paths", "secret/data/a"],
    config: [{ secretPaths: ["secret/data/c"] }, "secret/data/c"],
  },
  SVC_ENV_MAP: {
    annotation: ["env-map", "a=A"],
    config: [{ envMap: "c=C" }, "c=C"],
  },
  SVC_FILE_MAP: {
    annotation: ["file-map", "a=/run/a/key#any-path#env=A_FILE"],
    config: [{ fileMap: "c=/run/c/key" }, "c=/run/c/key"],
  },
  SVC_ROTATION: {
    annotation: ["rotation", "sighup"],
    config: [{ rotation: "none" }, "none"],
    otherwise: "restart",
  },
  VAULT_SKIP_VERIFY: { annotation: ["vault-tls-skip-verify", "true"] },
  SVC_EBPF_AGENT_ADDR: { config: [{ ebpf: true }, agentSocket] },
  SVC_REQUIRE_AGENT: {
    annotation: ["require-agent", "true"],
    config: [{ requireAgent: true }, "true"],
  },
};

/** Its namespace may leave a certificate unverified. */
const operator = { insecureVaultNamespaces: ["shop"] };

describe("of the injection table", () => {
  for (const [variable, { annotation, config, otherwise }] of Object.entries(rows)) {
    if (annotation !== undefined) {
      const [name, text] = annotation;
      test(`${variable} comes from the annotation ${name}`, () => {
        const given = { annotations: { [name]: text }, operator };
        expect(textOf(injectedContainer(given), variable)).toBe(text);
      });
      test(`${variable} of the annotation takes precedence over the SvcConfig's`, () => {
        const from = { annotations: { [name]: text }, operator };
        const given = { ...from, ...(config && { config: config[0] }) };
        expect(textOf(injectedContainer(given), variable)).toBe(text);
      });
    }
    if (config !== undefined) {
      test(`${variable} comes from the SvcConfig`, () => {
        const without = annotation === undefined ? [] : [annotation[0]];
        const container = injectedContainer({ config: config[0], without });
        expect(textOf(container, variable)).toBe(config[1]);
      });
    }
    if (
      otherwise !== undefined ||
      annotation?.[0].includes("skip") ||
      config?.[1] === agentSocket
    ) {
      test(`${variable} is ${otherwise ?? "not set"} without either`, () => {
        expect(textOf(injectedContainer({}), variable)).toBe(otherwise);
      });
    }
  }

  test("VAULT_SKIP_VERIFY comes from the annotation vault-skip-verify", () => {
    const container = injectedContainer({
      annotations: { "vault-skip-verify": "true" },
      operator,
    });
    expect(textOf(container, "VAULT_SKIP_VERIFY")).toBe("true");
  });

  test('SVC_EBPF_AGENT_ADDR, SVC_POD_UID and SVC_EBPF_NODE_IP are set when ebpf is "true"', () => {
    const container = injectedContainer({ annotations: { ebpf: "true" } });
    expect(textOf(container, "SVC_EBPF_AGENT_ADDR")).toBe(agentSocket);
    expect(entryOf(container, "SVC_POD_UID")?.valueFrom).toEqual({
      fieldRef: { fieldPath: "metadata.uid" },
    });
    expect(entryOf(container, "SVC_EBPF_NODE_IP")?.valueFrom).toEqual({
      fieldRef: { fieldPath: "status.hostIP" },
    });
  });

  test("and the names by which people know the program, for the agent's events", () => {
    const container = injectedContainer({ annotations: { ebpf: "true" } });
    const pathOf = (name: string) => entryOf(container, name)?.valueFrom;
    expect(pathOf("SVC_POD_NAME")).toEqual({ fieldRef: { fieldPath: "metadata.name" } });
    expect(pathOf("SVC_POD_NAMESPACE")).toEqual({ fieldRef: { fieldPath: "metadata.namespace" } });
    expect(textOf(container, "SVC_CONTAINER_NAME")).toBe(container.name);
  });

  test('none of the three is set when ebpf is "false"', () => {
    const container = injectedContainer({ annotations: { ebpf: "false" }, config: { ebpf: true } });
    const names = ["SVC_EBPF_AGENT_ADDR", "SVC_POD_UID", "SVC_EBPF_NODE_IP"];
    expect(names.map((name) => entryOf(container, name))).toEqual(names.map(() => undefined));
  });
});

test("a file map stands in the place of an env map", () => {
  const container = injectedContainer({
    without: ["env-map"],
    annotations: { "file-map": "key=/run/app/key" },
  });
  expect(textOf(container, "SVC_ENV_MAP")).toBeUndefined();
  const env = [{ name: "SVC_FILE_MAP", value: "key=/run/app/key" }];
  expect(
    textOf(injectedContainer({ without: ["env-map"], container: { env } }), "SVC_FILE_MAP"),
  ).toBe("key=/run/app/key");
});

test.each([
  ["an annotation", { annotations: { "require-agent": "true" } }],
  ["a SvcConfig", { config: { requireAgent: true } }],
])("a program that %s does not start without an agent is given one", (_of, given) => {
  expect(textOf(injectedContainer(given), "SVC_EBPF_AGENT_ADDR")).toBe(agentSocket);
});

/** SVC_ORIGINAL_CMD and SVC_ORIGINAL_ARGS: from the pod, from the image, and the result. */
const programs: Readonly<
  Record<
    string,
    readonly [
      pod: Partial<Container>,
      image: readonly [entrypoint: readonly string[], command: readonly string[]],
      cmd: readonly string[],
      args: readonly string[] | undefined,
    ]
  >
> = {
  "neither command nor args": [{}, [["/e"], ["c"]], ["/e"], ["c"]],
  "args alone": [{ args: ["a"] }, [["/e"], ["c"]], ["/e"], ["a"]],
  "command alone": [{ command: ["/p", "x"] }, [["/e"], ["c"]], ["/p", "x"], undefined],
  "command and args": [{ command: ["/p"], args: ["a", ""] }, [["/e"], ["c"]], ["/p"], ["a", ""]],
  "empty lists, which are as none": [{ command: [], args: [] }, [["/e"], ["c"]], ["/e"], ["c"]],
  "an image without CMD": [{}, [["/e", "x"], []], ["/e", "x"], undefined],
  "an image without ENTRYPOINT": [{}, [[], ["/c", "x"]], ["/c"], ["x"]],
  "args for an image without ENTRYPOINT": [{ args: ["/a", "x"] }, [[], ["c"]], ["/a"], ["x"]],
};

describe("SVC_ORIGINAL_CMD and SVC_ORIGINAL_ARGS follow Kubernetes' rules for", () => {
  for (const [name, [container, [entrypoint, command], cmd, args]] of Object.entries(programs)) {
    test(name, () => {
      const made = injectedContainer({ container, image: { entrypoint, command } });
      expect(made.command).toEqual(["/opt/svc/bin/svc-wrapper"]);
      expect(made.args).toBeUndefined();
      expect(textOf(made, "SVC_ORIGINAL_CMD")).toBe(JSON.stringify(cmd));
      expect(textOf(made, "SVC_ORIGINAL_ARGS")).toBe(args && JSON.stringify(args));
    });
  }
});

function entryOf({ env }: Container, name: string): EnvEntry | undefined {
  return env?.find((entry) => entry.name === name);
}

function textOf(container: Container, name: string): string | undefined {
  return entryOf(container, name)?.value ?? undefined;
}
