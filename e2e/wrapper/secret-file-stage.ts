import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { waitFor } from "@svc/testing";
import { childrenOf } from "../harness/processes/process-facts.ts";
import { deadline } from "../harness/wrapper/lifecycle-stage.ts";
import type { RunningWrapper } from "../harness/wrapper/wrapper-process.ts";

/**
 * A program that reads `key` and `crt` of a folder again and again. It says the pair at its start and after
 * each SIGHUP, and every pair that does not belong together.
 */
const readerScript = `
import { openSync, readFileSync, readSync, realpathSync, watch } from "node:fs";
const folder = process.argv[2];
const read = (at) => [readFileSync(at + "/key", "utf8"), readFileSync(at + "/crt", "utf8")];
const fits = ([key, crt]) => key === crt;
const say = (word, pair) => console.log(word, fits(pair) ? pair[0] : "MIXED", process.env.DB_PASSWORD ?? "-");
const open = openSync(folder + "/key", "r");
const mapped = Bun.mmap(folder + "/key", { shared: true });
const first = readFileSync(folder + "/key", "utf8");
process.on("SIGHUP", () => {
  say("hangup", read(folder));
  const bytes = Buffer.alloc(first.length);
  readSync(open, bytes, 0, bytes.length, 0);
  const kept = bytes.toString() === first && Buffer.from(mapped).toString() === first;
  console.log("opened before", kept ? "kept" : "LOST");
});
watch(folder, (_, name) => { if (name === "..data") console.log("watched", name); });
say("start", read(folder));
for (;;) {
  await Bun.sleep(1);
  // Between two reads all files may change. The next two are after that.
  if (!fits(read(folder)) && !fits(read(folder))) console.log("MIXED by path");
  try {
    const version = realpathSync(folder + "/..data");
    const names = ["0-key", "1-crt"].map((name) => readFileSync(version + "/" + name, "utf8"));
    if (!fits(names)) console.log("MIXED in a version");
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
}
`;

/** Writes the reader; returns the words that start it for a folder. */
export function readerIn(folder: string): (of: string) => readonly string[] {
  const path = join(folder, "reader.mjs");
  writeFileSync(path, readerScript);
  return (of) => [process.execPath, path, of];
}

/** A folder as the program sees it. */
export function seenBy(wrapper: RunningWrapper, folder: string): string {
  return `/proc/${childrenOf(wrapper.pid)[0] ?? 0}/root${folder}`;
}

/** Waits until one version is left in a folder; returns its name. */
export async function onlyVersion(wrapper: RunningWrapper, folder: string): Promise<string> {
  const versions = () =>
    readdirSync(seenBy(wrapper, folder)).filter((name) => name.startsWith("..v"));
  await waitFor(() => versions().length === 1, deadline("a single version"));
  return versions()[0] ?? "";
}
