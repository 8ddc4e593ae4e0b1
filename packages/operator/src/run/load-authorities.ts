import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { type Problem, problem } from "@svc/settings";

/** The texts of certificate files by registry, or their problems. */
export interface LoadedAuthorities {
  readonly authorities: Readonly<Record<string, readonly string[]>>;
  readonly problems: readonly Problem[];
}

/** Reads the PEM files of `--registry-ca-files`. */
export function loadAuthorities(
  files: Readonly<Record<string, readonly string[]>>,
): LoadedAuthorities {
  const problems: Problem[] = [];
  const entries = Object.entries(files).map(([registry, paths]) => {
    const texts = paths.flatMap((path) => {
      const read = readCertificates(path);
      if (read.ok) return read.text;
      const variable = "--registry-ca-files";
      const found = `${path}: ${read.found}`;
      problems.push(problem({ variable, wanted: "PEM files of certificates", found }));
      return [];
    });
    return [registry, texts] as const;
  });
  return { authorities: Object.fromEntries(entries), problems };
}

type ReadFile =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly found: string };

function readCertificates(path: string): ReadFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "it failed";
    return { ok: false, found: `it cannot be read (${code})` };
  }
  try {
    // The first of several; the TLS library reads them all.
    new X509Certificate(text);
    return { ok: true, text };
  } catch {
    return { ok: false, found: "there is no certificate in it" };
  }
}
