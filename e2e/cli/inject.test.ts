import { describe, expect, test } from "bun:test";
import { join } from "node:path";

// The decisions have unit tests beside the command.
const svc = join(import.meta.dirname, "../../dist/bin/svc");

const config = {
  apiVersion: "svc.internal/v1alpha1",
  kind: "SvcConfig",
  metadata: { name: "default" },
  spec: {
    vaultAddress: "https://vault.test:8200",
    vaultRole: "shop",
    secretPaths: ["kv/data/shop"],
    envMap: "*=*",
  },
};
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web", annotations: { "svc.internal/inject": "true" } },
  spec: { containers: [{ name: "app", image: "registry.test/app:1", command: ["/app"] }] },
};

describe("manifests", () => {
  const words = ["--wrapper-image=registry.test/svc:1"];
  const shell = async (script: string) => {
    const text = [config, pod].map((one) => JSON.stringify(one)).join("\n---\n");
    const child = Bun.spawn(["bash", "-c", script, "bash", svc, ...words], {
      stdio: [new Blob([text]), "pipe", "pipe"],
    });
    const { stdout, stderr, exited } = child;
    const [out, err, exitCode] = await Promise.all([stdout.text(), stderr.text(), exited]);
    return { out, err, exitCode };
  };
  test("are read from a pipe with a name", async () => {
    const { out, exitCode } = await shell('"$1" inject -f <(cat) "$2"');
    expect([exitCode, out]).toEqual([0, expect.stringContaining("svc-wrapper")]);
  });
  test("that are refused are a failure, with all that is wrong", async () => {
    const { out, err, exitCode } = await shell('echo "a: [" | "$1" inject -f - "$2"');
    expect([exitCode, out]).toEqual([125, ""]);
    expect(err).toContain('svc: error: read "standard input": it is neither YAML nor JSON');
    expect(err).toContain("svc: hint: ");
  });
  test("that cannot be written are a failure", async () => {
    const { err, exitCode } = await shell('"$1" inject -f - "$2" > /dev/full');
    expect([exitCode, err]).toEqual([
      125,
      expect.stringContaining("write standard output: ENOSPC"),
    ]);
  });
});
