import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { callBao, type OpenBao, startOpenBao, temporaryFolder, waitFor } from "@svc/testing";
import { ensurePrograms, postgresFolder } from "../harness/programs/ensure-programs.ts";
import { startWrapper } from "../harness/wrapper/wrapper-process.ts";

ensurePrograms();

const NOBODY = 65534;
const TIMEOUT_MS = 180_000;
const folder = temporaryFolder(NOBODY);
const data = join(folder.path, "data");
let bao: OpenBao | undefined;

beforeAll(async () => {
  await postgres("initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync");
  const options = `-c listen_addresses= -c unix_socket_directories=${folder.path} -c fsync=off`;
  const log = join(folder.path, "log");
  await postgres("pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start");
  bao = await startOpenBao();
  await callBao(bao, { method: "POST", path: "sys/mounts/database", body: { type: "database" } });
  await callBao(bao, {
    method: "POST",
    path: "database/config/app",
    body: {
      plugin_name: "postgresql-database-plugin",
      allowed_roles: "app",
      connection_url: `host=${folder.path} user={{username}} password={{password}} dbname=postgres`,
      username: "postgres",
      password: "any",
    },
  });
  await callBao(bao, {
    method: "POST",
    path: "database/roles/app",
    body: {
      db_name: "app",
      creation_statements: `CREATE ROLE "{{name}}" WITH LOGIN PASSWORD '{{password}}'`,
      default_ttl: "4s",
      max_ttl: "8s",
    },
  });
}, TIMEOUT_MS);

afterAll(async () => {
  await bao?.stop();
  await postgres("pg_ctl", "-D", data, "-m", "immediate", "stop");
  folder[Symbol.dispose]();
});

/**
 * Asks the database all the time who it is there; a role that was revoked is refused, and a client
 * that was ended is not.
 */
const client = `
trap 'exit 0' TERM
while :; do
  psql -h ${folder.path} -U "$DB_USER" -d postgres -Atc 'select current_user' 2>/dev/null || [ $? -gt 128 ] || echo refused
  sleep 0.1
done`;

test(
  "credentials of a database are renewed, and replaced before their lease ends",
  async () => {
    if (bao === undefined) throw new TypeError("OpenBao did not start");
    await using wrapper = await startWrapper({
      program: ["/bin/sh", "-c", client],
      environment: {
        VAULT_ADDR: bao.address,
        VAULT_TOKEN: bao.rootToken,
        SVC_SECRET_PATHS: "dynamic:database/creds/app",
        SVC_ENV_MAP: "username=DB_USER,password=PGPASSWORD",
        RENEWAL_INTERVAL: "1s",
        SVC_ROTATION_SPLAY: "0s",
        SVC_ROTATION_MIN_INTERVAL: "0s",
        HEALTH_ADDR: "127.0.0.1:0",
      },
    });
    const answers = () => wrapper.stdout().toString().split("\n").filter(Boolean);
    await waitFor(() => new Set(answers()).size >= 3, {
      deadlineMs: 40_000,
      what: "three users, one after the other",
    });
    expect(answers()).not.toContain("refused");
    expect(answers()[0]).toMatch(/^v-token-app-/);
    wrapper.kill(15);
    expect(await wrapper.ended).toMatchObject({ exitCode: 0 });
  },
  TIMEOUT_MS,
);

/** Runs one of PostgreSQL's programs as a user that it accepts. */
async function postgres(name: string, ...words: readonly string[]): Promise<void> {
  const program = join(postgresFolder() ?? "", name);
  const child = Bun.spawn([program, ...words], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: folder.path,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const complaints = await child.stderr.text();
  if ((await child.exited) !== 0) throw new TypeError(`${name}: ${complaints}`);
}
