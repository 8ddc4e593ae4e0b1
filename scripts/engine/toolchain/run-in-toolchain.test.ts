import { expect, test } from "bun:test";
import { toolchainCommand } from "./run-in-toolchain.ts";

const run = {
  root: "/cache/root",
  command: ["/usr/bin/cargo", "build"],
  mounts: { "/checkout/engine": "/src" },
  environment: { CARGO_HOME: "/cargo" },
};

test("the command has its mounts, and no variable of this machine", () => {
  const words = toolchainCommand(run, true);
  expect(words.slice(0, 3)).toEqual(["unshare", "--mount", "/bin/sh"]);
  expect(words.slice(4)).toEqual([
    ...["/cache/root", "/checkout/engine=/src", "--", "/usr/bin/env", "-i"],
    ...["PATH=/usr/bin", "HOME=/tmp", "LC_ALL=C.UTF-8", "CARGO_HOME=/cargo"],
    ...["/usr/bin/cargo", "build"],
  ]);
});

test("an ordinary user gets a user namespace", () => {
  const words = toolchainCommand(run, false);
  expect(words.slice(0, 4)).toEqual(["unshare", "--mount", "--user", "--map-root-user"]);
});
