import { folderOf, readLink } from "@svc/kernel";

// `node:path` for tests on the engine, as far as they use it.

/** Joins the parts of a path and takes `.` and `..` out of it. */
export function join(...parts: readonly string[]): string {
  const path = parts.filter((part) => part !== "").join("/");
  const isAbsolute = path.startsWith("/");
  const names: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") names.push(name);
    else if (names.length > 0 && names.at(-1) !== "..") names.pop();
    else if (!isAbsolute) names.push("..");
  }
  const end = path.endsWith("/") && names.length > 0 ? "/" : "";
  return `${isAbsolute ? "/" : ""}${names.join("/")}${end}` || ".";
}

/** The same from the last absolute part on, or from the current folder. */
export function resolve(...parts: readonly string[]): string {
  const start = parts.findLastIndex((part) => part.startsWith("/"));
  const path = start < 0 ? join(readLink("/proc/self/cwd"), ...parts) : join(...parts.slice(start));
  return path === "/" ? path : path.replace(/\/$/, "");
}

/** The folder that a path is in. */
export function dirname(path: string): string {
  return folderOf(path.replace(/(?<=.)\/+$/, ""));
}

/** The last name in a path. */
export function basename(path: string, end = ""): string {
  const name = path.replace(/\/+$/, "").replace(/^.*\//, "");
  return name !== end && name.endsWith(end) ? name.slice(0, name.length - end.length) : name;
}
