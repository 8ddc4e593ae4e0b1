import { expect, test } from "bun:test";
import { testPrograms } from "./engine-tests.ts";

/** A message as cargo prints it, with the members that we read. */
function artifact(crate: string, kind: string, name: string, more: object = {}): string {
  return JSON.stringify({
    reason: "compiler-artifact",
    manifest_path: `/src/engine/${crate}/Cargo.toml`,
    target: { name, kind: [kind] },
    profile: { test: true },
    executable: `/results/deps/${name}-0123`,
    ...more,
  });
}

test("the executables with tests are found in cargo's messages", () => {
  const messages = [
    artifact("network", "lib", "svc_network"),
    artifact("network", "test", "memory"),
    artifact("secrets", "test", "memory"),
    // A library, a program and the end have no tests.
    artifact("network", "lib", "svc_network", { executable: null, profile: { test: false } }),
    artifact("host", "bin", "svc-wrapper", { profile: { test: false } }),
    JSON.stringify({ reason: "build-finished", success: true }),
    "",
  ];
  expect(testPrograms(messages.join("\n"), "/src/engine")).toEqual([
    {
      ...{ file: "network-lib-svc_network", crate: "network" },
      path: "/results/deps/svc_network-0123",
    },
    { file: "network-test-memory", crate: "network", path: "/results/deps/memory-0123" },
    { file: "secrets-test-memory", crate: "secrets", path: "/results/deps/memory-0123" },
  ]);
});
