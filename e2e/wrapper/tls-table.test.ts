import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { startTlsTable, type TlsRow } from "../harness/programs/tls-table.ts";
import { wrapperEnvironment } from "../harness/wrapper/one-secret.ts";
import { wrapperPath } from "../harness/wrapper/wrapper-process.ts";

// The table is testdata/tls-table: which vaults the wrapper, Go and OpenSSL accept, and the reason
// that the wrapper gives. Go itself judges in that program.

const folder = temporaryFolder();
const table = await startTlsTable();
afterAll(async () => {
  await table[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const judged = await judgeAll(table.rows);

test("the table is whole", () => expect(judged.length).toBeGreaterThan(200));

for (const [family, rows] of Map.groupBy(judged, ({ row }) => row.family)) {
  describe(family, () => {
    for (const { row, wrapper, openssl } of rows) {
      test(row.name, () => {
        const accepted = {
          svc: wrapper.accepted,
          go: row.goSays === "",
          openssl: openssl.accepted,
        };
        const told = `svc: ${wrapper.told}\ngo: ${row.goSays}\nOpenSSL: ${openssl.told}`;
        expect(accepted, told).toEqual({ svc: row.svc, go: row.go, openssl: row.openssl });
        if (!row.svc) expect(wrapper.told).toContain(row.reason);
      });
    }
  });
}

interface Judgement {
  readonly accepted: boolean;
  readonly told: string;
}

interface JudgedRow {
  readonly row: TlsRow;
  readonly wrapper: Judgement;
  readonly openssl: Judgement;
}

/** Four at a time. */
async function judgeAll(rows: readonly TlsRow[]): Promise<readonly JudgedRow[]> {
  const found: JudgedRow[] = [];
  const left = rows.entries();
  const judgeSome = async () => {
    for (const [index, row] of left) {
      const files = filesOf(row, index);
      const wrapper = await judgeByWrapper(row, files);
      found[index] = { row, wrapper, openssl: await judgeByOpenSsl(row, files) };
    }
  };
  await Promise.all(Array.from({ length: 4 }, judgeSome));
  return found;
}

/** The paths of a row's PEM files. */
interface Files {
  readonly trusted: string;
  readonly client: { readonly certificate: string; readonly key: string } | undefined;
}

function filesOf(row: TlsRow, index: number): Files {
  const file = (name: string, text: string) => {
    const path = join(folder.path, `${index}-${name}.pem`);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const trusted = file("trusted", row.trusted);
  if (row.clientKey === "") return { trusted, client: undefined };
  const certificate = file("client", row.clientCertificate);
  return { trusted, client: { certificate, key: file("key", row.clientKey) } };
}

/** A server that it accepts refuses its token. */
async function judgeByWrapper({ host, port }: TlsRow, files: Files): Promise<Judgement> {
  const { trusted, client } = files;
  const own = client && { VAULT_CLIENT_CERT: client.certificate, VAULT_CLIENT_KEY: client.key };
  const name = host === "127.0.0.1" ? {} : { VAULT_TLS_SERVER_NAME: host };
  const wrapper = Bun.spawn([wrapperPath, "--", "/bin/true"], {
    env: {
      ...wrapperEnvironment(`https://127.0.0.1:${port}`, "s.token"),
      ...{ VAULT_CACERT: trusted, SVC_START_DEADLINE: "0", ...name, ...own },
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const told = await wrapper.stderr.text();
  expect(await wrapper.exited, told).toBe(125);
  return { accepted: told.includes("permission denied (DENIED)"), told };
}

async function judgeByOpenSsl({ host, port }: TlsRow, files: Files): Promise<Judgement> {
  const { trusted, client } = files;
  const own = client ? ["-cert", client.certificate, "-key", client.key] : [];
  const name = isIP(host) ? ["-verify_ip", host] : ["-verify_hostname", host, "-servername", host];
  const only = ["-CAfile", trusted, "-no-CApath", "-no-CAstore"];
  const words = ["-connect", `127.0.0.1:${port}`, "-alpn", "http/1.1", "-verify_return_error"];
  // Quietly, so that it does not end before the server has answered.
  const command = ["openssl", "s_client", "-quiet", ...words, ...only, ...name, ...own];
  const judge = Bun.spawn(command, {
    stdin: Buffer.from("GET / HTTP/1.0\r\n\r\n"),
    stdout: "ignore",
    stderr: "pipe",
  });
  const told = await judge.stderr.text();
  return { accepted: (await judge.exited) === 0, told };
}
