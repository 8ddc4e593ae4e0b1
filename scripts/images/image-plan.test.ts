import { describe, expect, test } from "bun:test";
import { architectures } from "../build/bundle/architecture.ts";
import { type ImageEntry, imageEntries, imagePlans } from "./image-plan.ts";

const bytes = new Uint8Array();
const sourcesOf = (architecture: (typeof architectures)[number]) => ({
  architecture,
  bundle: [
    { path: "bin/svc-wrapper", mode: 0o755 },
    { path: "licenses/LICENSE", mode: 0o644 },
    { path: "licenses/THIRD-PARTY.md", mode: 0o644 },
  ] as const,
  bundleFolder: "/bundle",
  programs: "/programs",
  loader: bytes,
  libraries: [{ name: "libc.so.6", bytes }],
  bpfObject: "/object.o",
  bpfLibraries: [{ name: "libbpf.so.1", bytes }],
  versions: { glibc: {}, bpf: {} },
  crates: [],
  licences: { LICENSE: "/LICENSE", "THIRD-PARTY.md": "/THIRD-PARTY.md" },
  bpfLicences: ["/usr/share/doc/libbpf1/copyright"],
});

const common = ["etc/nsswitch.conf", "licenses/LICENSE", "licenses/THIRD-PARTY.md"];
const [x64, arm64] = architectures;
const loaders = { x64: "lib64/ld-linux-x86-64.so.2", arm64: "lib/ld-linux-aarch64.so.1" };
const libcs = {
  x64: "lib/x86_64-linux-gnu/libc.so.6",
  arm64: "lib/aarch64-linux-gnu/libc.so.6",
};
const agent = ["licenses/libbpf1.txt", "opt/svc/bin/svc-agent", "opt/svc/secret_monitor.o"];
const libbpf = {
  x64: "lib/x86_64-linux-gnu/libbpf.so.1",
  arm64: "lib/aarch64-linux-gnu/libbpf.so.1",
};

describe("an image has exactly the files that run:", () => {
  const cases: Readonly<
    Record<string, readonly [name: string, machine: typeof x64, paths: readonly string[]]>
  > = {
    "the wrapper's has the bundle at its root, and a link to it": [
      "svc-wrapper",
      x64,
      ["bin/svc-wrapper", "licenses/LICENSE", "licenses/THIRD-PARTY.md", "opt/svc"],
    ],
    "the operator's has its program and glibc": [
      "svc-operator",
      x64,
      [...common, "opt/svc/bin/svc-operator", loaders.x64, libcs.x64],
    ],
    "glibc lies elsewhere on arm64": [
      "svc",
      arm64,
      [...common, "opt/svc/bin/svc", loaders.arm64, libcs.arm64],
    ],
    "the agent's has libbpf and the BPF object": [
      "svc-agent",
      x64,
      [...common, ...agent, libbpf.x64, loaders.x64, libcs.x64],
    ],
    "so has the agent's for arm64": [
      "svc-agent",
      arm64,
      [...common, ...agent, libbpf.arm64, loaders.arm64, libcs.arm64],
    ],
  };
  for (const [title, [name, machine, paths]] of Object.entries(cases)) {
    test(title, () => {
      const plan = imagePlans.find((known) => known.name === name);
      if (plan === undefined || machine === undefined) throw new Error(`no image ${name}`);
      const entries: readonly ImageEntry[] = imageEntries(plan, sourcesOf(machine));
      expect(entries.map(({ path }) => path).sort()).toEqual([...paths].sort());
    });
  }
});

test("only the agent's image runs as root", () => {
  const root = imagePlans.filter(({ user }) => user !== "65532:65532").map(({ name }) => name);
  expect(root).toEqual(["svc-agent"]);
});
