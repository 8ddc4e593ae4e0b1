import { ofEnvconsul } from "./envconsul.ts";
import type { Scenario, Surroundings } from "./scenario.ts";

const STORE_DELAY_MS = 50;

const others = [
  ["tini", "-s", "--"],
  ["dumb-init", "--"],
  ["catatonit", "--"],
] as const;

/** The bare program, the wrapper in every configuration, and other init programs that are here. */
export function scenarios(around: Surroundings): readonly Scenario[] {
  return [
    { name: "bare program", command: [], env: {}, storeDelayMs: 0 },
    ...ofWrapper(around),
    fromDisk(around),
    ...ofOther(around),
    ...(around.envconsul === undefined ? [] : ofEnvconsul(around.envconsul, around)),
    ...others.flatMap(([name, ...words]) => {
      const path = Bun.which(name);
      return path === null ? [] : [{ name, command: [path, ...words], env: {}, storeDelayMs: 0 }];
    }),
  ];
}

function ofWrapper(around: Surroundings): readonly Scenario[] {
  return [
    ...[1, 20, 200, 500].flatMap((paths) =>
      (["env", "inject"] as const).map((delivery) => overHttp(around, { paths, delivery })),
    ),
    ...[1, 20, 200].map((paths) => fromSlowStore(around, paths)),
    ...[1, 8, 32, 64, 200].flatMap((paths) => [
      fromSlowStoreOverTls(around, paths, "HTTP/2"),
      fromSlowStoreOverTls(around, paths, "HTTP/1.1"),
    ]),
    ...(["env", "inject"] as const).map((delivery) => overTls(around, delivery)),
    ...openBao(around),
  ];
}

/** The page cache has none of the executable. */
function fromDisk(around: Surroundings): Scenario {
  const { coldWrapper } = around;
  const scenario = overHttp({ ...around, wrapper: coldWrapper }, { paths: 1, delivery: "env" });
  return { ...scenario, name: `${scenario.name}, cold page cache`, coldFile: coldWrapper };
}

/** The same with the other wrapper. */
function ofOther(around: Surroundings): readonly Scenario[] {
  const { beside } = around;
  if (beside === undefined) return [];
  const others = ofWrapper({ ...around, wrapper: beside });
  return others.map((scenario) => ({ ...scenario, name: `beside: ${scenario.name}` }));
}

function overHttp(
  { wrapper, store }: Surroundings,
  { paths, delivery }: { readonly paths: number; readonly delivery: "env" | "inject" },
): Scenario {
  return {
    name: `${named(paths)}, HTTP, token, store answers at once, ${delivery}`,
    command: [wrapper, `--delivery=${delivery}`, "--"],
    env: { ...settings(paths), VAULT_ADDR: store.http, VAULT_TOKEN: "s.bench" },
    storeDelayMs: 0,
  };
}

function fromSlowStore({ wrapper, store }: Surroundings, paths: number): Scenario {
  return {
    name: `${named(paths)}, HTTP, token, store answers after ${STORE_DELAY_MS} ms`,
    command: [wrapper, "--"],
    env: { ...settings(paths), VAULT_ADDR: store.slowHttp, VAULT_TOKEN: "s.bench" },
    storeDelayMs: STORE_DELAY_MS,
  };
}

function fromSlowStoreOverTls(
  { wrapper, store, caPath }: Surroundings,
  paths: number,
  protocol: "HTTP/2" | "HTTP/1.1",
): Scenario {
  return {
    name: `${named(paths)}, ${protocol} over TLS, token, store answers after ${STORE_DELAY_MS} ms`,
    command: [wrapper, "--"],
    env: {
      ...settings(paths),
      VAULT_ADDR: protocol === "HTTP/2" ? store.slowHttps : store.slowHttps1,
      VAULT_CACERT: caPath,
      VAULT_TOKEN: "s.bench",
    },
    storeDelayMs: STORE_DELAY_MS,
  };
}

function named(paths: number): string {
  return `${paths} ${paths === 1 ? "path" : "paths"}`;
}

function overTls(
  { wrapper, store, caPath, jwtPath }: Surroundings,
  delivery: "env" | "inject",
): Scenario {
  return {
    name: `1 path, TLS, kubernetes login, store answers at once, ${delivery}`,
    command: [wrapper, `--delivery=${delivery}`, "--"],
    env: {
      ...settings(1),
      VAULT_ADDR: store.https,
      VAULT_CACERT: caPath,
      VAULT_AUTH_ROLE: "app",
      SVC_AUTH_JWT_PATH: jwtPath,
    },
    storeDelayMs: 0,
  };
}

function openBao({ wrapper, openBao: server }: Surroundings): readonly Scenario[] {
  if (server === undefined) return [];
  const env = { ...settings(1), VAULT_ADDR: server.address, VAULT_TOKEN: server.token };
  const name = "1 path, HTTP, token, OpenBao";
  return [{ name, command: [wrapper, "--"], env, storeDelayMs: 0 }];
}

/** Distinct paths, one field each. */
function settings(paths: number): Readonly<Record<string, string>> {
  const numbers = Array.from({ length: paths }, (_, index) => index);
  return {
    PATH: "/usr/bin:/bin",
    SVC_SECRET_PATHS: numbers.map((number) => `secret/data/app-${number}`).join(","),
    SVC_ENV_MAP: numbers.map((number) => `value=SECRET_${number}`).join(";"),
    HEALTH_ADDR: "127.0.0.1:0",
    SVC_LOG_LEVEL: "error",
  };
}
