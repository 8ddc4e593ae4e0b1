import { fileKind } from "./files.ts";

const SLASH = 0x2f;
const COLON = 0x3a;
// The search path of glibc's execvp(3) if PATH is not set.
const DEFAULT_PATH = "/bin:/usr/bin";

/** The path of a program, or the reason why it cannot be started. */
export type FoundProgram =
  | { readonly kind: "found"; readonly path: Uint8Array }
  | { readonly kind: "not executable"; readonly path: Uint8Array }
  | { readonly kind: "not found" };

/**
 * Looks a program up as execvp(3) does: a name with a slash is a path, any other is looked for in
 * PATH, whose empty parts mean the working directory.
 */
export function findProgram(name: Uint8Array, path: Uint8Array | undefined): FoundProgram {
  if (name.length === 0) return { kind: "not found" };
  if (name.includes(SLASH)) return inspect(name);
  let refused: FoundProgram = { kind: "not found" };
  for (const folder of split(path ?? new TextEncoder().encode(DEFAULT_PATH))) {
    const result = inspect(folder.length === 0 ? name : joined(folder, name));
    if (result.kind === "found") return result;
    if (result.kind === "not executable") refused = result;
  }
  return refused;
}

function inspect(path: Uint8Array): FoundProgram {
  switch (fileKind(path)) {
    case "executable":
      return { kind: "found", path };
    case "missing":
      return { kind: "not found" };
    case "other":
    // A folder that may not be searched, a loop of links: something is there, but not for us.
    case "out of reach":
      return { kind: "not executable", path };
  }
}

function split(path: Uint8Array): readonly Uint8Array[] {
  const folders: Uint8Array[] = [];
  let start = 0;
  for (let end = path.indexOf(COLON); end >= 0; end = path.indexOf(COLON, start)) {
    folders.push(path.subarray(start, end));
    start = end + 1;
  }
  return [...folders, path.subarray(start)];
}

function joined(folder: Uint8Array, name: Uint8Array): Uint8Array {
  const path = new Uint8Array(folder.length + 1 + name.length);
  path.set(folder);
  path[folder.length] = SLASH;
  path.set(name, folder.length + 1);
  return path;
}
