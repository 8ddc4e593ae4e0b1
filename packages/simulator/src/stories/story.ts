import type { Scenario } from "../world/scenario.ts";

/** The parts of a story that differ from the plain one. */
export interface Story extends Partial<Omit<Scenario, "seed" | "story">> {
  /** Lines that a schedule may leave out. */
  readonly loose?: RegExp;
}

/** Stories by their names. */
export type Stories = Readonly<Record<string, Story>>;

/** A program that ends by its signals alone. */
export const steady = { ignores: [], children: [] };

/** A login whose tokens have that life. */
export const kubernetes = (tokenMs: number) => ({ kind: "kubernetes", tokenMs }) as const;

/** A secret with a lease beside the others. */
export const leases = {
  SVC_SECRET_PATHS: "secret/data/app,secret/data/other,dynamic:dev-lease/db",
  SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD;key=API_KEY;lease=LEASE",
};

/** A secret in a file beside the others. */
export const filed = {
  SVC_SECRET_PATHS: "secret/data/app,secret/data/other,file:/run/secrets/pin",
  SVC_ENV_MAP: "user=DB_USER,password=DB_PASSWORD;key=API_KEY;pin=PIN",
};

/** A check that finds nothing, before another one that does. */
export const quiet =
  /changed=false loggedIn=false leasesRenewed=0$|checks_total\{result="unchanged"\}/;

/** Any check. */
export const checks = /the secrets were checked|checks_total/;

/** The secret has a new version, before or after the first check. */
export const changed = { kind: "change", atMs: 3000 } as const;

/** The whole time of a story. */
export const always = { fromMs: 0, toMs: 90_000, part: 1 } as const;

/** POST /v1/unseal. */
export const unseal = (atMs: number, isRight: boolean) =>
  ({ kind: "unseal wrapper", atMs, isRight }) as const;
