import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

/** A certificate with its key, as texts and as files. */
export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
  readonly certPath: string;
  readonly keyPath: string;
}

/**
 * A separate certificate authority, made with openssl in a directory that `Symbol.dispose`
 * removes.
 */
export class TestPki implements Disposable {
  readonly directory = mkdtempSync(`${tmpdir()}/svc-vault-pki-`);
  readonly ca = this.#selfSigned("ca", ["-addext", "basicConstraints=critical,CA:TRUE"]);

  /** A certificate of this authority, for server and client. */
  issue(name: string, altNames: string, days = 2): TestCertificate {
    const { certPath, keyPath } = this.#paths(name);
    const request = `${this.directory}/${name}.csr`;
    const extensions = `${this.directory}/${name}.ext`;
    writeFileSync(extensions, `subjectAltName=${altNames}\n`);
    this.#openssl(["req", ...NEW_KEY, "-keyout", keyPath, "-subj", `/CN=${name}`, "-out", request]);
    this.#openssl([
      ...["x509", "-req", "-in", request, "-out", certPath, "-extfile", extensions],
      ...["-CA", this.ca.certPath, "-CAkey", this.ca.keyPath, "-CAcreateserial"],
      ...["-days", String(days)],
    ]);
    return this.#load(name);
  }

  /** A certificate that only vouches for itself. */
  selfSigned(name: string, altNames: string): TestCertificate {
    return this.#selfSigned(name, ["-addext", `subjectAltName=${altNames}`]);
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true });
  }

  #selfSigned(name: string, extra: readonly string[]): TestCertificate {
    const { certPath, keyPath } = this.#paths(name);
    this.#openssl([
      ...["req", "-x509", ...NEW_KEY, "-keyout", keyPath, "-out", certPath],
      ...["-subj", `/CN=${name}`, "-days", "2", ...extra],
    ]);
    return this.#load(name);
  }

  #load(name: string): TestCertificate {
    const { certPath, keyPath } = this.#paths(name);
    const [cert, key] = [readFileSync(certPath, "utf8"), readFileSync(keyPath, "utf8")];
    return { cert, key, certPath, keyPath };
  }

  #paths(name: string) {
    return {
      certPath: `${this.directory}/${name}.pem`,
      keyPath: `${this.directory}/${name}.key`,
    };
  }

  #openssl(args: readonly string[]): void {
    const { exitCode, stderr } = Bun.spawnSync(["openssl", ...args]);
    if (exitCode !== 0) throw new Error(`openssl ${args.join(" ")}: ${stderr.toString()}`);
  }
}

const NEW_KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
