import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Envconsul, Scenario, Surroundings } from "./scenario.ts";

const NUMBERS = [1, 20, 200, 500];

/** Copies the executable and writes the configuration files, one for each number of paths. */
export function prepareEnvconsul(folder: string, executable: string): Envconsul {
  const [program, coldProgram] = [join(folder, "envconsul"), join(folder, "envconsul-cold")];
  copyFileSync(executable, program);
  copyFileSync(executable, coldProgram);
  const configuration = (paths: number) => join(folder, `envconsul-${paths}.hcl`);
  for (const paths of NUMBERS) {
    const secrets = Array.from({ length: paths }, (_, index) => secretBlock(index));
    writeFileSync(configuration(paths), `vault {\n  renew_token = false\n}\n${secrets.join("")}`);
  }
  return { program, coldProgram, configuration };
}

/** The rows of the wrapper that envconsul can do, too. */
export function ofEnvconsul(
  { program, coldProgram, configuration }: Envconsul,
  { store, caPath, jwtPath }: Surroundings,
): readonly Scenario[] {
  const common = { PATH: "/usr/bin:/bin" };
  const command = (paths: number, ...words: readonly string[]) => [
    ...[program, "-config", configuration(paths), "-log-level", "err", ...words],
  ];
  const withToken = { ...common, VAULT_TOKEN: "s.bench" };
  const overHttp = (paths: number): Scenario => ({
    name: `envconsul: ${paths} over HTTP, token, store answers at once`,
    command: command(paths),
    env: { ...withToken, VAULT_ADDR: store.http },
    storeDelayMs: 0,
  });
  const fromSlowStore = (paths: number): Scenario => ({
    name: `envconsul: ${paths} over HTTP, token, store answers after 50 ms`,
    command: command(paths),
    env: { ...withToken, VAULT_ADDR: store.slowHttp },
    storeDelayMs: 50,
  });
  const fromSlowStoreOverTls = (paths: number): Scenario => ({
    name: `envconsul: ${paths} over TLS, token, store answers after 50 ms`,
    command: command(paths),
    env: { ...withToken, VAULT_ADDR: store.slowHttps, VAULT_CACERT: caPath },
    storeDelayMs: 50,
  });
  const login = ["-vault-k8s-auth-role-name", "app"];
  const [, ...cold] = overHttp(1).command;
  return [
    ...NUMBERS.map(overHttp),
    ...[20, 200].map(fromSlowStore),
    ...[1, 200].map(fromSlowStoreOverTls),
    {
      name: "envconsul: 1 over TLS, kubernetes login, store answers at once",
      command: command(1, ...login, "-vault-k8s-service-account-token-path", jwtPath),
      env: { ...common, VAULT_ADDR: store.https, VAULT_CACERT: caPath },
      storeDelayMs: 0,
    },
    {
      ...overHttp(1),
      name: "envconsul: 1 over HTTP, token, cold page cache",
      command: [coldProgram, ...cold],
      coldFile: coldProgram,
    },
  ];
}

/** Each path gives a separate variable. */
function secretBlock(index: number): string {
  return `secret {\n  path = "secret/data/app-${index}"\n}\n`;
}
