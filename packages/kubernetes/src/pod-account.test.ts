import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { podLogin, podServer } from "./pod-account.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const access = { kind: "pod", host: "h", port: "443", folder: folder.path } as const;
const write = (token: string) => writeFileSync(join(folder.path, "token"), `${token}\n`);

test("a pod's account logs in with its files, and a token that is replaced is read again", async () => {
  write("first");
  writeFileSync(join(folder.path, "ca.crt"), "PEM");
  const { options } = podLogin(access);
  expect(await options()).toEqual({ ca: "PEM", headers: { Authorization: "Bearer first" } });
  write("second");
  expect(await options()).toMatchObject({ headers: { Authorization: "Bearer second" } });
});

test("a pod without an account is refused by the path", () => {
  expect(() => podLogin({ ...access, folder: "/nowhere" })).toThrow(
    expect.objectContaining({ code: "KUBECONFIG_UNUSABLE" }),
  );
});

test("an address of IPv6 gets its brackets", () => {
  expect(podServer(access)).toBe("https://h:443");
  expect(podServer({ ...access, host: "fd00::1" })).toBe("https://[fd00::1]:443");
});
