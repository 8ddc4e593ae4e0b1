import { closeSync, existsSync, openSync, readFileSync, readSync } from "node:fs";

const PAGE_BYTES = 4096;
const PAGEMAP_ENTRY_BYTES = 8;
/** The bit of /proc/PID/pagemap that says a page is in memory: 63; and 62: in swap. */
const PRESENT_MASK = 0xc0;
const CHUNK_PAGES = 2048;

/** Those of `secrets` that the bytes contain: plain, or as base64, base64url or hex. */
export function leaksIn(bytes: Buffer | string, secrets: readonly string[]): readonly string[] {
  const haystack = typeof bytes === "string" ? Buffer.from(bytes) : bytes;
  return secrets.flatMap((secret) =>
    Object.entries(formsOf(secret))
      .filter(([, forms]) => forms.some((form) => haystack.includes(form)))
      .map(([form]) => `${secret} ${form}`),
  );
}

/**
 * Searches every page that a process has in memory, as root reads them through /proc/PID/mem;
 * returns the texts that were found.
 */
export function findInMemory(pid: number, texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  try {
    for (const bytes of memoryOf(pid)) {
      for (const text of texts) if (bytes.includes(text)) found.add(text);
    }
  } catch (error) {
    // One that ends meanwhile, as a courier does, takes its memory with it.
    if (existsSync(`/proc/${pid}`)) throw error;
  }
  return [...found];
}

/** Every run of pages that a process has in memory, as root reads them through /proc/PID/mem. */
export function* memoryOf(
  pid: number,
  ranges: readonly Range[] = readableRanges(pid),
): Generator<Buffer> {
  const memory = openSync(`/proc/${pid}/mem`, "r");
  const pagemap = openSync(`/proc/${pid}/pagemap`, "r");
  try {
    for (const { start, end } of ranges) {
      for (const run of presentRuns(pagemap, start, end)) yield readRun(memory, run);
    }
  } finally {
    closeSync(memory);
    closeSync(pagemap);
  }
}

/** Part of an address space. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

function readableRanges(pid: number): readonly Range[] {
  return readFileSync(`/proc/${pid}/maps`, "utf8").split("\n").flatMap(rangeIn);
}

/** The readable range that a line of maps begins with. */
function rangeIn(line: string): readonly Range[] {
  const match = /^([0-9a-f]+)-([0-9a-f]+) r/.exec(line);
  const [start, end] = [Number(`0x${match?.[1]}`), Number(`0x${match?.[2]}`)];
  // The vsyscall page lies beyond the range of a number, and holds no data.
  return Number.isSafeInteger(start) && Number.isSafeInteger(end) ? [{ start, end }] : [];
}

/** Reserved address space is left out: it is gigabytes of nothing. A run goes over chunks. */
function* presentRuns(pagemap: number, start: number, end: number): Generator<Range> {
  let first = -1;
  for (let chunk = start; chunk < end; chunk += CHUNK_PAGES * PAGE_BYTES) {
    const pages = Math.min(CHUNK_PAGES, (end - chunk) / PAGE_BYTES);
    const entries = Buffer.alloc(pages * PAGEMAP_ENTRY_BYTES);
    readSync(pagemap, entries, 0, entries.length, (chunk / PAGE_BYTES) * PAGEMAP_ENTRY_BYTES);
    for (let page = 0; page < pages; page += 1) {
      const address = chunk + page * PAGE_BYTES;
      const present = ((entries[page * PAGEMAP_ENTRY_BYTES + 7] ?? 0) & PRESENT_MASK) !== 0;
      if (present && first < 0) first = address;
      if (!present && first >= 0) {
        yield { start: first, end: address };
        first = -1;
      }
    }
  }
  if (first >= 0) yield { start: first, end };
}

function readRun(memory: number, { start, end }: Range): Buffer {
  const bytes = Buffer.alloc(end - start);
  let done = 0;
  try {
    while (done < bytes.length) {
      const count = readSync(memory, bytes, done, bytes.length - done, start + done);
      if (count === 0) break;
      done += count;
    }
  } catch {
    // Pages of memfd_secret and of devices refuse. Other processes cannot read them either.
  }
  return bytes.subarray(0, done);
}

function formsOf(secret: string): Readonly<Record<string, readonly string[]>> {
  // In the middle of other bytes base64 begins at any of three offsets: the whole groups of each.
  const base64 = [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]).toString("base64");
    return padded.slice(4, Math.floor(((offset + secret.length) * 4) / 3) - 4);
  });
  const hex = Buffer.from(secret).toString("hex");
  return {
    "as it is": [secret],
    "as base64": [
      ...base64,
      ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
    ],
    "as hex": [hex, hex.toUpperCase()],
    "as a list of bytes": [[...Buffer.from(secret)].join(",")],
    "in UTF-16": [Buffer.from(secret, "utf16le").toString("latin1")],
  };
}
