import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A wrapper that knows no vault at all. */
export const withoutVault: Readonly<Record<string, string>> = {
  HEALTH_ADDR: "127.0.0.1:0",
  SVC_TERMINATION_LOG: "/nonexistent/termination-log",
  SVC_LOG_FORMAT: "json",
};

/** The files of a secret, by their names. */
export type SecretFiles = Readonly<Record<string, string>>;

/** A volume as a kubelet makes it and changes it. */
export interface Volume {
  readonly path: string;
  /** Replaces all files at once, and removes the older ones. */
  readonly replace: (files: SecretFiles) => void;
}

/**
 * Makes a volume: the folder of a version, the link `..data` to it, and a link for each file; the
 * kubelet's pkg/volume/util/atomic_writer.go.
 */
export function makeVolume(path: string, files: SecretFiles): Volume {
  let version = 0;
  mkdirSync(path);
  const replace = (next: SecretFiles) => {
    const before = `..2026_${version}`;
    version += 1;
    const name = `..2026_${version}`;
    mkdirSync(join(path, name));
    for (const [file, text] of Object.entries(next)) writeFileSync(join(path, name, file), text);
    symlinkSync(name, join(path, "..data_tmp"));
    renameSync(join(path, "..data_tmp"), join(path, "..data"));
    rmSync(join(path, before), { recursive: true, force: true });
  };
  replace(files);
  for (const file of Object.keys(files)) symlinkSync(`..data/${file}`, join(path, file));
  return { path, replace };
}

/** Replaces a file as a careful writer does: nothing between the two contents is seen. */
export function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}
