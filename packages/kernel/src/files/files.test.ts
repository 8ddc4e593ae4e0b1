import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "@svc/testing";
import { descriptorsLeftBy } from "../../testdata/open-descriptors.ts";
import { runFixture } from "../../testdata/run-fixture.ts";
import { closeDescriptor, makePipe } from "../descriptors/descriptors.ts";
import { fileKind, fileStamp, isTerminal, openForReading, readAt, readWholeFile } from "./files.ts";

let folder: TemporaryFolder;
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => folder[Symbol.dispose]());

const LIMIT = 1 << 20;

describe("readWholeFile", () => {
  for (const length of [0, 1, 65_535, 65_536, 65_537, 300_000]) {
    test(`reads a file of ${length} bytes`, () => {
      const path = join(folder.path, `of-${length}`);
      const bytes = new Uint8Array(length).map((_, index) => index % 251);
      writeFileSync(path, bytes);
      expect(readWholeFile(path, LIMIT)).toEqual(bytes);
    });
  }

  test("reads a file of /proc that does not know its size", () => {
    expect(new TextDecoder().decode(readWholeFile("/proc/version", LIMIT))).toBe(
      readFileSync("/proc/version", "utf8"),
    );
  });

  test("takes a path as bytes", () => {
    const path = new Uint8Array([...new TextEncoder().encode(`${folder.path}/`), 0xff]);
    writeFileSync(Buffer.from(path), "x");
    expect(readWholeFile(path, LIMIT)).toEqual(Uint8Array.of(0x78));
  });

  test("reads a file of exactly the limit, and refuses one that is longer", () => {
    const path = join(folder.path, "of-10");
    writeFileSync(path, "0123456789");
    expect(readWholeFile(path, 10)).toHaveLength(10);
    expect(() => readWholeFile(path, 9)).toThrow(expect.objectContaining({ code: "EFBIG" }));
  });

  for (const [name, path, code] of [
    ["a missing file", "/nonexistent/file", "ENOENT"],
    ["a path through a file", "/etc/passwd/file", "ENOTDIR"],
    ["a folder", "/etc", "EISDIR"],
  ] as const) {
    test(`fails with ${code} for ${name}`, () => {
      expect(() => readWholeFile(path, LIMIT)).toThrow(expect.objectContaining({ code }));
    });
  }

  test("reads a named pipe with a slow writer, and one without a writer is empty", async () => {
    const path = join(folder.path, "pipe");
    Bun.spawnSync(["mkfifo", path]);
    expect(readWholeFile(path, LIMIT)).toHaveLength(0);
    const writer = Bun.spawn(["sh", "-c", "exec >$0; echo open >&2; sleep 0.2; echo slow", path], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    for await (const _ of writer.stderr) break;
    expect(new TextDecoder().decode(readWholeFile(path, LIMIT))).toBe("slow\n");
    closeSync(reader);
    await writer.exited;
  });

  test("closes its descriptors, also when it fails", () => {
    const left = descriptorsLeftBy(() => {
      readWholeFile("/etc/passwd", LIMIT);
      for (const path of ["/etc", "/etc/passwd"]) {
        expect(() => readWholeFile(path, 1)).toThrow();
      }
    });
    expect(left).toEqual([]);
  });
});

describe("readAt", () => {
  const rows: readonly (readonly [
    name: string,
    length: number,
    position: number,
    found: string,
  ])[] = [
    ["reads from the beginning", 4, 0, "0123"],
    ["reads from a position", 4, 3, "3456"],
    ["stops at the end of the file", 8, 6, "6789"],
    ["finds nothing behind the end", 4, 10, ""],
  ];
  for (const [name, length, position, found] of rows) {
    test(name, () => {
      const path = join(folder.path, "digits");
      writeFileSync(path, "0123456789");
      const fd = openForReading(path);
      const buffer = new Uint8Array(length);
      const count = readAt(fd, buffer, position);
      closeDescriptor(fd);
      expect(new TextDecoder().decode(buffer.subarray(0, count))).toBe(found);
    });
  }
});

describe("fileKind", () => {
  const rows: readonly (readonly [
    name: string,
    make: (path: string) => void,
    kind: ReturnType<typeof fileKind>,
  ])[] = [
    ["a file with an execute bit", (path) => makeFile(path, 0o711), "executable"],
    ["a file without one", (path) => makeFile(path, 0o644), "other"],
    ["a folder", (path) => mkdirSync(path), "other"],
    ["a link to a program", (path) => symlinkSync("/bin/sh", path), "executable"],
    ["a link to nothing", (path) => symlinkSync("nothing", path), "missing"],
    ["a link to itself", (path) => symlinkSync(path, path), "out of reach"],
    ["nothing", () => undefined, "missing"],
  ];
  for (const [index, [name, make, kind]] of rows.entries()) {
    test(`says ${kind} of ${name}`, () => {
      const path = join(folder.path, `kind-${index}`);
      make(path);
      expect(fileKind(new TextEncoder().encode(path))).toBe(kind);
    });
  }

  test("says missing of a path through a file", () => {
    expect(fileKind(new TextEncoder().encode("/etc/passwd/sh"))).toBe("missing");
  });

  test("says out of reach of a file in a folder that this user may not search", () => {
    const closed = join(folder.path, "closed");
    mkdirSync(closed);
    makeFile(join(closed, "program"), 0o755);
    chmodSync(closed, 0o000);
    // Search permission binds root only without these capabilities.
    const through = ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"];
    const words = [join(closed, "program"), "/bin/sh"];
    const kinds = runFixture("prints-file-kinds", { words, through });
    // For it to be removed.
    chmodSync(closed, 0o700);
    expect(kinds).toEqual(["out of reach", "executable"]);
  });
});

describe("isTerminal", () => {
  test("is false for a pipe, a file and a descriptor that is not there", () => {
    const { readFd, writeFd } = makePipe();
    const file = openForReading("/etc/passwd");
    expect([readFd, file, 1 << 20].map(isTerminal)).toEqual([false, false, false]);
    for (const fd of [readFd, writeFd, file]) closeDescriptor(fd);
  });
});

function makeFile(path: string, mode: number): void {
  writeFileSync(path, "");
  chmodSync(path, mode);
}

describe("fileStamp", () => {
  const changes: readonly (readonly [name: string, change: (path: string) => void])[] = [
    ["is longer", (path) => writeFileSync(path, "longer text")],
    ["was written again at another time", (path) => utimesSync(path, 1, 1)],
    [
      "was replaced by its equal",
      (path) => {
        writeFileSync(`${path}.new`, "text");
        renameSync(`${path}.new`, path);
      },
    ],
  ];
  for (const [index, [name, change]] of changes.entries()) {
    test(`is another one when the file ${name}`, () => {
      const path = join(folder.path, `stamp-${index}`);
      writeFileSync(path, "text");
      const before = fileStamp(path);
      expect(fileStamp(path)).toBe(before);
      change(path);
      expect(fileStamp(path)).not.toBe(before);
    });
  }

  test("is that of the file behind a link, and throws if there is none", () => {
    const [path, link] = [join(folder.path, "stamped"), join(folder.path, "stamp-link")];
    symlinkSync(path, link);
    expect(() => fileStamp(link)).toThrow("statx: ENOENT");
    writeFileSync(path, "text");
    expect(fileStamp(link)).toBe(fileStamp(path));
  });
});
