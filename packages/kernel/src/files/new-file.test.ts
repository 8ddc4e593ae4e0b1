import { afterAll, describe, expect, test } from "bun:test";
import {
  closeSync,
  openSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { runsAsRoot, temporaryFolder } from "@svc/testing";
import { closeDescriptor } from "../descriptors/descriptors.ts";
import { mapDescriptor } from "../memory/mapping.ts";
import { fileOwnership } from "./file-ownership.ts";
import {
  changeFileMode,
  changeFileOwner,
  createFile,
  cutFile,
  isOnlyUser,
  makeLink,
  openForWriting,
  takeRoom,
} from "./new-file.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const at = (name: string) => join(folder.path, name);

describe("createFile", () => {
  test("makes a file for its owner alone, whose room can be mapped and cut", () => {
    const fd = createFile(at("new"));
    expect(statSync(at("new")).mode & 0o777).toBe(0o600);
    takeRoom(fd, 5000);
    const mapping = mapDescriptor(fd, 5000, "write");
    mapping.bytes.fill(0x78);
    mapping.unmap();
    cutFile(fd, 4100);
    changeFileMode(fd, 0o440);
    closeDescriptor(fd);
    expect(readFileSync(at("new"), "utf8")).toBe("x".repeat(4100));
    expect(statSync(at("new")).mode & 0o777).toBe(0o440);
  });

  test("takes room for nothing", () => {
    const fd = createFile(at("nothing"));
    takeRoom(fd, 0);
    closeDescriptor(fd);
    expect(statSync(at("nothing")).size).toBe(0);
  });

  test("refuses a name that is taken, also by a link", () => {
    symlinkSync(at("nowhere"), at("taken"));
    expect(() => createFile(at("taken"))).toThrow("open: EEXIST");
    expect(() => openForWriting(at("taken"))).toThrow("open: ELOOP");
  });
});

test.skipIf(!runsAsRoot())("changeFileOwner gives a file away", () => {
  const fd = createFile(at("given"));
  changeFileOwner(fd, 65_534, 7);
  closeDescriptor(fd);
  const given = fileOwnership(new TextEncoder().encode(at("given")));
  expect(given).toMatchObject({ uid: 65_534, gid: 7 });
});

test("makeLink makes a link of any text, and none over another file", () => {
  makeLink("..data/key", at("link"));
  expect(readlinkSync(at("link"))).toBe("..data/key");
  expect(() => makeLink("x", at("link"))).toThrow("symlink: EEXIST");
});

describe("isOnlyUser", () => {
  test("says whether another descriptor has the file open, or mapped", () => {
    writeFileSync(at("shared"), "text");
    const other = openSync(at("shared"), "r");
    const own = openForWriting(at("shared"));
    expect(isOnlyUser(own)).toBe(false);
    closeDescriptor(own);
    const mapping = mapDescriptor(other, 4, "read");
    closeSync(other);
    const second = openForWriting(at("shared"));
    expect(isOnlyUser(second)).toBe(false);
    mapping.unmap();
    expect(isOnlyUser(second)).toBe(true);
    closeDescriptor(second);
  });
});
