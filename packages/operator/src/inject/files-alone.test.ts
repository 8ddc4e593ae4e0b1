import { describe, expect, test } from "bun:test";
import { decideSmall, injectedPodOf, type SmallPod } from "./testdata/injected-container.ts";

const files = "file:/etc/app/db,file:/etc/app/tls";
const map = { "env-map": "password=DB_PASSWORD;key=TLS_KEY" };
const env = (name: string, value: string) => ({ container: { env: [{ name, value }] } });

const rows: readonly (readonly [name: string, small: SmallPod, needsVault: boolean])[] = [
  [
    "files in the annotation need no vault",
    { annotations: { ...map, "secret-paths": files } },
    false,
  ],
  [
    "files in the SvcConfig need no vault",
    {
      annotations: map,
      without: ["secret-paths"],
      config: { secretPaths: files.split(",") },
    },
    false,
  ],
  [
    "files that the container names itself need no vault",
    {
      annotations: { ...map, "secret-paths": "secret/data/a,secret/data/b" },
      ...env("SVC_SECRET_PATHS", files),
    },
    false,
  ],
  [
    "a file beside a secret of the vault needs the vault",
    { annotations: { ...map, "secret-paths": "file:/etc/app/db,secret/data/app" } },
    true,
  ],
  [
    "a secret of the vault that the container names itself needs the vault",
    { annotations: { ...map, "secret-paths": files }, ...env("SECRET_PATHS", "secret/data/app") },
    true,
  ],
];

describe("a pod", () => {
  for (const [name, small, needsVault] of rows) {
    test(`with ${name}`, () => {
      const { without = [] } = small;
      const bare = { ...small, without: [...without, "vault-address", "vault-role"] };
      const said = JSON.stringify(decideSmall(bare));
      expect(said.includes("vault-address: must be set")).toBe(needsVault);
      expect(said.includes("vault-role: must be set")).toBe(needsVault);
    });

    test(`with ${name}, by its variables and volumes`, () => {
      const { containers = [], volumes = [] } = injectedPodOf(small).spec;
      const names = containers.flatMap((container) => container.env ?? []).map((one) => one.name);
      expect(names.some((one) => one.startsWith("VAULT_"))).toBe(needsVault);
      expect(JSON.stringify(volumes).includes("serviceAccountToken")).toBe(needsVault);
    });
  }
});
