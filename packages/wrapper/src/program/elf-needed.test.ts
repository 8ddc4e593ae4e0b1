import { describe, expect, test } from "bun:test";
import { realpathSync } from "node:fs";
import { closeDescriptor, openRegularFile, readAt } from "@svc/kernel";
import { readFileHead } from "./elf-file.ts";
import { neededLibraries } from "./elf-needed.ts";
import { readSegments, type Segment } from "./elf-segments.ts";

const files = ["/bin/sh", "/usr/bin/env", "/bin/tar", "/lib64/ld-linux-x86-64.so.2"]
  .map((path) => realpathSync(path))
  .filter((path, index, all) => all.indexOf(path) === index);

/** The lines of readelf, as another reader of the same file. */
const readelf = (option: string, path: string) =>
  Bun.spawnSync(["readelf", "-W", option, path]).stdout.toString().split("\n");

function withFile<T>(path: string, use: (fd: number, segments: readonly Segment[]) => T): T {
  const fd = openRegularFile(path);
  try {
    const header = new Uint8Array(64);
    readAt(fd, header, 0);
    return use(fd, readSegments(fd, new DataView(header.buffer)));
  } finally {
    closeDescriptor(fd);
  }
}

describe("a program is read as readelf reads it:", () => {
  test.each(files)("the segments of %s", (path) => {
    const types: Readonly<Record<string, number>> = { LOAD: 1, DYNAMIC: 2, INTERP: 3 };
    const rows = readelf("-l", path).flatMap((line) => {
      const [name = "", offset, address, , length] = line.trim().split(/\s+/);
      const type = types[name];
      if (type === undefined || length === undefined) return [];
      return [{ type, offset: Number(offset), address: Number(address), length: Number(length) }];
    });
    const known = withFile(path, (_, segments) => segments).filter(({ type }) => type <= 3);
    expect(rows.length).toBeGreaterThan(2);
    expect(known).toEqual(rows);
  });

  test.each(files)("the libraries that %s needs", (path) => {
    const names = readelf("-d", path).flatMap(
      (line) => /\(NEEDED\).*\[(.*)\]/.exec(line)?.[1] ?? [],
    );
    expect(withFile(path, neededLibraries)).toEqual(names);
  });

  test.each(files)("the loader of %s", (path) => {
    const loader = readelf("-l", path).flatMap(
      (line) => /interpreter: (.*)\]/.exec(line)?.[1] ?? [],
    );
    const head = readFileHead(new TextEncoder().encode(path));
    expect(head.kind === "elf" && [head.facts.loader ?? []].flat()).toEqual(loader);
  });
});

test("a program without the segment of their names needs no libraries", () => {
  withFile(files[0] ?? "", (fd, segments) => {
    expect(neededLibraries(fd, segments).length).toBeGreaterThan(0);
    const without = (type: number) => segments.filter((one) => one.type !== type);
    expect(neededLibraries(fd, without(1))).toEqual([]);
    expect(neededLibraries(fd, without(2))).toEqual([]);
  });
});
