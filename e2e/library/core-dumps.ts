import { closeSync, openSync, readdirSync, readSync } from "node:fs";
import { join } from "node:path";
import { leaksIn } from "../harness/processes/leak-search.ts";

const CHUNK_BYTES = 4 << 20;
const PAGE_BYTES = 4096;
const emptyPage = Buffer.alloc(PAGE_BYTES);

/** Writes a core dump of a process that goes on into a folder. */
export async function dumpCore(pid: number, folder: string): Promise<void> {
  const gcore = Bun.spawn(["gcore", "-o", join(folder, "gcore"), String(pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const complaints = await gcore.stderr.text();
  if ((await gcore.exited) !== 0) throw new TypeError(`gcore ${pid}: ${complaints}`);
}

/** How many core dumps are in a folder, and which of the texts are in them. */
export function searchCores(folder: string, texts: readonly string[]) {
  const cores = readdirSync(folder);
  const found = cores.flatMap((core) => leaksIn(contentOf(join(folder, core)), texts));
  return { cores: cores.length, found };
}

/**
 * The pages of a dump that are not empty: a Go program's dump has a gigabyte that it only reserved.
 */
function contentOf(path: string): Buffer {
  const file = openSync(path, "r");
  const content: Buffer[] = [];
  const chunk = Buffer.alloc(CHUNK_BYTES);
  try {
    for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) {
      for (let start = 0; start < length; start += PAGE_BYTES) {
        const page = chunk.subarray(start, Math.min(start + PAGE_BYTES, length));
        if (!page.equals(emptyPage)) content.push(Buffer.from(page));
      }
    }
  } finally {
    closeSync(file);
  }
  return Buffer.concat(content);
}
