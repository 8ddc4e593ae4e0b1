import { describe, expect, test } from "bun:test";
import { findRegion, type RegionMapping } from "./region-mapping.ts";

const heap = mapping("[heap]", "rd wr mr mw me ac");
const secret = mapping("/secretmem (deleted)", "rd wr sh mr mw ms lo dd");
const unnamed = mapping("", "rd wr lo dd");

describe("findRegion", () => {
  const rows: readonly (readonly [name: string, text: string, found: RegionMapping | undefined])[] =
    [
      ["nothing if nothing is mapped", "", undefined],
      ["nothing if no region is mapped", heap + unnamed, undefined],
      ["memfd_secret", heap + secret + unnamed, good("memfd_secret")],
      [
        "memfd_secret of a kernel that does not call it locked",
        mapping("/secretmem (deleted)", "rd wr sh mr mw ms dd"),
        good("memfd_secret"),
      ],
      [
        "a locked memfd that is left out of dumps",
        mapping("/memfd:svc-secrets (deleted)", "rd wr sh lo dd"),
        good("memfd"),
      ],
      [
        "a memfd that is neither",
        mapping("/memfd:svc-secrets (deleted)", "rd wr sh"),
        { memory: "memfd", locked: false, dumped: true },
      ],
      ["no other memfd", mapping("/memfd:other (deleted)", "rd wr sh"), undefined],
      [
        "the worst of several",
        secret + mapping("/memfd:svc-secrets (deleted)", "rd wr sh dd") + secret,
        { memory: "memfd", locked: false, dumped: false },
      ],
    ];
  for (const [name, text, found] of rows) {
    test(`finds ${name}`, () => expect(findRegion(text.split("\n"))).toEqual(found));
  }
});

function good(memory: RegionMapping["memory"]): RegionMapping {
  return { memory, locked: true, dumped: false };
}

function mapping(name: string, flags: string): string {
  const head = `7f0cc2cab000-7f0cc2cac000 rw-s 00000000 00:0e 28330494                   ${name}`;
  return `${head}\nSize:                  4 kB\nTHPeligible:           0\nVmFlags: ${flags} \n`;
}
