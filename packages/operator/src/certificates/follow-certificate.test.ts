import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, waitFor } from "@svc/testing";
import { filePlace } from "./file-place.ts";
import {
  type CertificatePlace,
  followCertificate,
  type ServedCertificate,
} from "./follow-certificate.ts";
import { KeyPem, revealKey } from "./key-pem.ts";
import { makeGeneration } from "./make-generation.ts";

const NAME = "svc-operator.svc-system.svc";
const folder = temporaryFolder();
const running = new AsyncDisposableStack();
afterAll(async () => {
  await running.disposeAsync();
  folder[Symbol.dispose]();
});
const made = (lifeMs = 600_000, names = [NAME]) =>
  makeGeneration({ names, lifeMs, nowMs: Date.now() });
let rounds = 0;

/** A folder of files that are changed as the kubelet changes them: by a link to another folder. */
function mounted() {
  rounds += 1;
  const at = join(folder.path, String(rounds));
  mkdirSync(at);
  let version = 0;
  const set = (certificate: string, key: string) => {
    version += 1;
    mkdirSync(join(at, `v${version}`));
    writeFileSync(join(at, `v${version}`, "tls.crt"), certificate);
    writeFileSync(join(at, `v${version}`, "tls.key"), key);
    symlinkSync(`v${version}`, join(at, "new"));
    renameSync(join(at, "new"), join(at, "data"));
  };
  const place = filePlace({
    certificatePath: join(at, "data", "tls.crt"),
    keyPath: join(at, "data", "tls.key"),
    names: [NAME],
  });
  return { set, place, at };
}

function follow(place: CertificatePlace, onCertificate?: (certificate: ServedCertificate) => void) {
  const seen = {
    served: [] as ServedCertificate[],
    lines: [] as string[],
    expires: [] as number[],
  };
  const end = new AbortController();
  const following = followCertificate(
    place,
    {
      onCertificate: onCertificate ?? ((certificate) => seen.served.push(certificate)),
      log: (_, message, fields) => seen.lines.push(`${message} ${JSON.stringify(fields)}`),
      metrics: { served: (expiresMs) => seen.expires.push(expiresMs) },
      pollMs: 5,
    },
    end.signal,
  );
  running.defer(() => {
    end.abort();
    return following;
  });
  return seen;
}

const wait = (what: string, condition: () => boolean) =>
  waitFor(condition, { deadlineMs: 5000, what });

test("files are served, and served again when they are replaced", async () => {
  const { set, place } = mounted();
  const seen = follow(place);
  await wait("a line", () => seen.lines.length > 0);
  expect(seen.lines[0]).toContain("no such file");
  expect(seen.lines[0]).toContain("; none is served");
  for (const count of [1, 2, 3]) {
    const { certificatePem, key } = await made();
    set(certificatePem, revealKey(key));
    await wait("it to be served", () => seen.served.length === count);
    expect(seen.served.at(-1)).toEqual({ certificatePem, keyPem: revealKey(key) });
  }
  expect(seen.expires).toHaveLength(3);
});

describe("the last certificate is served on if the files", async () => {
  const [good, other] = [await made(), await made()];
  const chain = `${good.certificatePem}${good.authorityPem}`;
  const expired = await made(-1000);
  const named = await made(600_000, ["other.svc"]);
  const rows = [
    {
      name: "do not go together",
      pem: other.certificatePem,
      key: good.key,
      said: "the private key is another certificate's",
    },
    {
      name: "hold no certificate",
      pem: "nothing",
      key: good.key,
      said: "the certificate is not one in PEM",
    },
    {
      name: "hold no key",
      pem: chain,
      key: new KeyPem(""),
      said: "the private key is not one in PEM",
    },
    { name: "have expired", pem: expired.certificatePem, key: expired.key, said: "it has expired" },
    {
      name: "are for another name",
      pem: named.certificatePem,
      key: named.key,
      said: `it is not for ${NAME}`,
    },
  ];
  for (const { name, pem, key, said } of rows) {
    test(name, async () => {
      const { set, place } = mounted();
      set(chain, revealKey(good.key));
      const seen = follow(place);
      await wait("the first", () => seen.served.length === 1);
      set(pem, revealKey(key));
      await wait("a warning", () =>
        seen.lines.some((line) => line.includes(`${said}; the last one`)),
      );
      expect(seen.served).toHaveLength(1);
      set(other.certificatePem, revealKey(other.key));
      await wait("the next", () => seen.served.length === 2);
      for (const line of seen.lines) expect(line).not.toContain("PRIVATE");
    });
  }

  test("are gone", async () => {
    const { set, place, at } = mounted();
    set(chain, revealKey(good.key));
    const seen = follow(place);
    await wait("the first", () => seen.served.length === 1);
    rmSync(at, { recursive: true });
    await wait("a warning", () =>
      seen.lines.some((line) => line.includes("; the last one is served on")),
    );
    expect(seen.served).toHaveLength(1);
  });
});

test("a refused pair is offered again, and reported once", async () => {
  const { set, place } = mounted();
  const { certificatePem, key } = await made();
  set(certificatePem, revealKey(key));
  let offers = 0;
  const seen = follow(place, () => {
    offers += 1;
    if (offers < 5) throw new TypeError("the port is taken");
  });
  await wait("it to be taken", () => seen.expires.length === 1);
  expect(seen.lines).toHaveLength(2);
  expect(seen.lines[0]).toContain("the port is taken; none is served");
});
