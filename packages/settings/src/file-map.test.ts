import { describe, expect, test } from "bun:test";
import type { FileMapping } from "./file-entry.ts";
import { parseFileMap } from "./file-map.ts";
import { everyRefusal } from "./parsed.ts";

describe("parseFileMap reads", () => {
  const file = (more: Partial<FileMapping>): FileMapping => {
    return { field: "k", path: "/etc/tls/k", mode: 0o400, base64: false, ...more };
  };
  const rows: readonly (readonly [text: string, groups: unknown])[] = [
    ["k=/etc/tls/k", [[file({})]]],
    [" k=/etc/tls/k , a=/etc/tls/a", [[file({}), file({ field: "a", path: "/etc/tls/a" })]]],
    ["k=/etc/tls/k;;a=/run/x/a", [[file({})], [], [file({ field: "a", path: "/run/x/a" })]]],
    ["tls.key=/etc/tls/k", [[file({ field: "tls.key" })]]],
    ["a=b=/etc/tls/k", [[file({ field: "a=b" })]]],
    ["k=/etc/tls/a=b", [[file({ path: "/etc/tls/a=b" })]]],
    ["k=/etc/tls/a:b", [[file({ path: "/etc/tls/a:b" })]]],
    ["k=/etc/tls/.k", [[file({ path: "/etc/tls/.k" })]]],
    ["a%2Cb%23=/etc/a%3Bb/%25", [[file({ field: "a,b#", path: "/etc/a;b/%" })]]],
    ["k=/dev/shm/app/k", [[file({ path: "/dev/shm/app/k" })]]],
    ["k=/etc/tls/k#mode=0444", [[file({ mode: 0o444 })]]],
    ["k=/etc/tls/k#mode=600", [[file({ mode: 0o600 })]]],
    ["k=/etc/tls/k#base64", [[file({ base64: true })]]],
    ["k=/etc/tls/k#env=TLS_KEY_FILE", [[file({ variable: "TLS_KEY_FILE" })]]],
    ["k=/etc/tls/k#owner=101:0", [[file({ owner: { uid: 101, gid: 0 } })]]],
    ["k=/etc/tls/k#any-path#env=F", [[file({ variable: "F", anyPath: true })]]],
    [
      "k=/etc/tls/k#mode=0440#base64#env=F#owner=0:7",
      [[file({ mode: 0o440, base64: true, variable: "F", owner: { uid: 0, gid: 7 } })]],
    ],
  ];
  for (const [text, groups] of rows) {
    test(JSON.stringify(text), () => {
      expect<unknown>(parseFileMap(text)).toEqual({ ok: true, value: groups });
    });
  }
});

describe("parseFileMap refuses", () => {
  const rows: readonly (readonly [text: string, words: string])[] = [
    ["k", "an entry field=/path"],
    ["=/etc/tls/k", "an entry field=/path"],
    ["k=etc/tls/k", "an entry field=/path"],
    ["k=", "an entry field=/path"],
    ["*=/etc/tls/*", "an entry of one field"],
    ["a\nb=/etc/tls/k", "without control characters"],
    ["a=/b=/c/d", "with =/ once"],
    ["k=/etc/tls/../k", "no part of it may be empty, be a dot"],
    ["k=/etc/./k", "no part of it may be empty, be a dot"],
    ["k=/etc//k", "no part of it may be empty, be a dot"],
    ["k=/etc/tls/", "no part of it may be empty, be a dot"],
    ["k=/etc/tls/a\0b", "an absolute path of a file"],
    ["k=/etc/tls/..data", "no part of it may be empty, be a dot"],
    ["k=/k", "no file may be in / itself"],
    ["k=/", "no part of it may be empty"],
    ["k=/proc/self/k", "outside of /proc"],
    ["k=/sys/k", "outside of /proc"],
    ["k=/dev/k", "outside of /proc"],
    ["k=/dev/shm/k", "outside of /proc"],
    ["k=/dev/shmx/a/k", "outside of /proc"],
    ["k=/opt/svc/bin/k", "outside of /proc"],
    [`k=/etc/${"n".repeat(251)}`, "each name with 250"],
    [`k=/etc${"/nnnnnnnnn".repeat(410)}`, "4095 bytes at most"],
    ["k=/etc/tls/k%20", "%2C %3B %23"],
    ["k%=/etc/tls/k", "%2C %3B %23"],
    ["k=/etc/tls/k#mode=0777", "a mode of three octal digits"],
    ["k=/etc/tls/k#mode=0420", "a mode of three octal digits"],
    ["k=/etc/tls/k#mode=0402", "a mode of three octal digits"],
    ["k=/etc/tls/k#mode=0500", "a mode of three octal digits"],
    ["k=/etc/tls/k#mode=0040", "a mode of three octal digits"],
    ["k=/etc/tls/k#mode=4400", "a mode of three octal digits"],
    ["k=/etc/tls/k#mode=9", "a mode of three octal digits"],
    ["k=/etc/tls/k#mode", "a mode of three octal digits"],
    ["k=/etc/tls/k#base64=yes", "without a value"],
    ["k=/etc/tls/k#any-path", "beside env=VARIABLE"],
    ["k=/etc/tls/k#any-path=1#env=F", "without a value"],
    ["k=/etc/tls/k#env=", "a variable name"],
    ["k=/etc/tls/k#env=A*", "a variable name"],
    ["k=/etc/tls/k#owner=root", "an owner UID:GID"],
    ["k=/etc/tls/k#owner=1:4294967295", "an owner UID:GID"],
    ["k=/etc/tls/k#mod=0400", "an entry with the options"],
    ["k=/etc/tls/k#", "an entry with the options"],
    ["k=/etc/tls/k#constructor=1", "an entry with the options"],
    ["k=/etc/tls/k#base64#base64", "each option once"],
    ["k=/etc/tls/k,", "entry 2 of group 1 is empty"],
    [";", "a map with a file"],
    ["k=/etc/tls/k;a=/etc/tls/k", "both name /etc/tls/k"],
    ["k=/etc/tls;a=/etc/tls/k", "/etc/tls/k lies below the file /etc/tls"],
    ["k=/etc/tls/k;a=/etc/tls", "/etc/tls/k lies below the file /etc/tls"],
    ["k=/a/b#env=F,l=/a/c#env=F", "names each variable once"],
    [Array.from({ length: 65 }, (_, n) => `k=/a/${n}`).join(","), "64 files at most"],
  ];
  for (const [text, words] of rows) {
    test(JSON.stringify(text.slice(0, 60)), () => {
      const parsed = parseFileMap(text);
      expect(parsed.ok ? "it was accepted" : JSON.stringify(everyRefusal(parsed))).toContain(words);
    });
  }

  test("with every fault and its place", () => {
    const parsed = parseFileMap("k=/etc/../k#mode=7#x,b;c=/proc/c,d=/e/d;e=/e/d");
    const faults = parsed.ok ? [] : everyRefusal(parsed);
    const wanted = faults.map((fault) => fault.wanted.slice(fault.wanted.indexOf("(")));
    expect(wanted.slice(0, 5)).toEqual([
      "(entry 1 of group 1)",
      "(entry 1 of group 1)",
      "(entry 1 of group 1)",
      "(entry 2 of group 1)",
      "(entry 1 of group 2)",
    ]);
    expect(faults[5]?.found).toBe("entry 2 of group 2 and entry 1 of group 3 both name /e/d");
    expect(faults).toHaveLength(6);
  });
});
