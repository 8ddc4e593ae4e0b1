import { expect, test } from "bun:test";
import { Secret } from "@svc/vault";
import { faultOfShare } from "./fault-of-share.ts";

const share = Buffer.alloc(33, 7);
const rows: readonly (readonly [name: string, text: string, fault: string | undefined])[] = [
  ["base64", share.toString("base64"), undefined],
  ["base64 with padding", Buffer.alloc(32, 7).toString("base64"), undefined],
  ["hexadecimal", share.toString("hex"), undefined],
  ["hexadecimal in capitals", share.toString("hex").toUpperCase(), undefined],
  ["base64 without its padding", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "neither"],
  ["padding in the middle", "AAAA=AAA", "neither"],
  ["three signs of padding", "A===", "neither"],
  ["base64 for URLs", "____", "neither"],
  ["a root token", "s.SvD6CSAFbw1oBcqIeyIDst76", "neither"],
  ["a message to a holder", Buffer.alloc(240, 7).toString("base64"), "240 bytes"],
  ["a message in hexadecimal", Buffer.alloc(240, 7).toString("hex"), "240 bytes"],
];
for (const [name, text, fault] of rows) {
  test(`${name} ${fault === undefined ? "may be a share" : "is none"}`, () => {
    const found = faultOfShare(new Secret(text));
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
  });
}
