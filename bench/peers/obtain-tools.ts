import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { fetchOpenBao } from "@svc/testing";
import type { Tool } from "./peer.ts";

const CONSUL_TEMPLATE = "github.com/hashicorp/consul-template@v0.41.1";

/** vault-cli and all its requirements, pinned: another release cannot change the measurement. */
const VAULT_CLI = [
  "vault-cli==3.1.0",
  "certifi==2026.10.18",
  "charset-normalizer==3.5.2",
  "click==8.5.1",
  "hvac==0.10.11",
  "idna==3.20",
  "jinja2==3.1.6",
  "markupsafe==3.0.4",
  "pyyaml==6.0.3",
  "requests==2.34.2",
  "six==1.17.0",
  "urllib3==2.8.0",
] as const;

const OWN_WRAPPER = resolve(import.meta.dir, "../../dist/bin/svc-wrapper");

/** The OpenBao of the tests, which is the agent, too. */
export async function baoTool(cache: string): Promise<Tool> {
  return tool([await fetchOpenBao(cache, process.env)], "version");
}

/** Built from its Go module. */
export function consulTemplateTool(cache: string): Tool {
  const folder = inCache(cache, "consul-template-0.41.1", (fresh) =>
    run(["go", "install", "-trimpath", CONSUL_TEMPLATE], { GOBIN: fresh, CGO_ENABLED: "0" }),
  );
  return tool([join(folder, "consul-template")], "-version");
}

/** Installed by pip into a separate folder. */
export function vaultCliTool(cache: string): Tool {
  const folder = inCache(cache, "vault-cli-3.1.0", (fresh) =>
    run([...pip, "--no-deps", "--target", fresh, ...VAULT_CLI]),
  );
  // A version manager's python3 may be a script that needs its own HOME; this is the program.
  const python = run(["python3", "-c", "import sys; print(sys.executable)"]).trim();
  const program = join(folder, "bin/vault-cli");
  return tool(["/usr/bin/env", `PYTHONPATH=${folder}`, python, program], "--version");
}

/** The programs that this checkout has built. */
export function svcTool(): Tool {
  if (!existsSync(OWN_WRAPPER)) throw new Error(`find ${OWN_WRAPPER}: run bun scripts/build.ts`);
  return tool([OWN_WRAPPER], "--version");
}

const pip = [
  ...["python3", "-m", "pip", "install", "--quiet", "--no-input"],
  ...["--disable-pip-version-check", "--root-user-action=ignore", "--no-compile"],
];

function tool(words: readonly string[], versionWord: string): Tool {
  const said = run([...words, versionWord]);
  return { words, version: /\d+\.\d+\.\d+/.exec(said)?.[0] ?? said.trim() };
}

/** The folder that `make` has filled, once; a failed attempt leaves nothing. */
function inCache(cache: string, name: string, make: (fresh: string) => void): string {
  const target = join(cache, "peers", name);
  if (existsSync(target)) return target;
  mkdirSync(join(cache, "peers"), { recursive: true });
  const fresh = mkdtempSync(`${target}.part-`);
  try {
    make(fresh);
    renameSync(fresh, target);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return target;
}

function run(words: readonly string[], env: Readonly<Record<string, string>> = {}): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...words], {
    env: { ...process.env, ...env },
  });
  const said = stdout.toString();
  if (exitCode === 0) return said === "" ? stderr.toString() : said;
  const last = `${said}\n${stderr}`.trim().split("\n").at(-1) ?? "";
  throw new Error(`${words.slice(0, 4).join(" ")}: exit code ${exitCode}: ${last}`);
}
