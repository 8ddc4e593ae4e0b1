import { expect, test } from "bun:test";
import { PodTokens } from "./pod-tokens.ts";

const volume = (podUid: string, name: string) => ({
  ...{ podUid, volume: name },
  target: `/k/${podUid}/${name}`,
});
const token = (text: string, expiresMs: number) => ({ text, expiresMs });

test("a pod has the token that the kubelet has given last, until it expires", () => {
  const tokens = new PodTokens();
  tokens.keep(volume("a", "svc"), token("first", 1000));
  tokens.keep(volume("b", "svc"), token("other", 9000));
  expect(tokens.tokenOf("a", 500)).toBe("first");
  tokens.keep(volume("a", "svc"), token("second", 2000));
  expect(tokens.tokenOf("a", 1500)).toBe("second");
  expect(tokens.tokenOf("a", 2000)).toBeUndefined();
});

test("of two volumes of a pod the token counts that lasts longest", () => {
  const tokens = new PodTokens();
  tokens.keep(volume("a", "one"), token("long", 3000));
  tokens.keep(volume("a", "two"), token("short", 2000));
  expect(tokens.tokenOf("a", 0)).toBe("long");
  tokens.forget("/k/a/one");
  expect(tokens.tokenOf("a", 0)).toBe("short");
  tokens.forget("/k/a/two");
  expect(tokens.tokenOf("a", 0)).toBeUndefined();
});
