import { describe, expect, test } from "bun:test";
import { SyscallError } from "@svc/kernel";
import type { PlacedTokenFile } from "./token-files.ts";
import { watchTokens } from "./watch-tokens.ts";

/** errno(3) */
const E2BIG = 7;
const mountinfo = "301 23 0:57 / /k/pods/pod-a/volumes/p/v rw - tmpfs tmpfs rw\n";
const wrapper = { pid: 4711, startTicks: 9 };
const holder = { registration: 7n, podUid: "pod-a", wrapper, namespacePids: [4711, 1] };
const file = { path: "/var/run/secrets/token", device: 57, inode: 4n };

function watching(missing?: string) {
  const kept = new Map<bigint, PlacedTokenFile>();
  const living = new Set([wrapper.pid]);
  const watch = watchTokens({
    files: {
      keep: (registration, one) => void kept.set(registration, one),
      forget: (registration) => void kept.delete(registration),
    },
    kubelet: {
      look: () =>
        missing === undefined ? { kind: "found", mountinfo } : { kind: "missing", reason: missing },
    },
    lives: ({ pid }) => living.has(pid),
  });
  return { watch, kept, living };
}

test("the file of a container's first process is watched, by its name and inode", () => {
  const { watch, kept } = watching();
  expect(watch.watch(holder, file)).toBe("");
  expect(kept.get(7n)).toEqual({
    ...{ name: "token", device: 57, inode: 4n },
    folder: "/k/pods/pod-a/volumes/p/v",
  });
});

describe("a file is not watched, and the wrapper hears why,", () => {
  const rows: readonly (readonly [string, () => string, RegExp])[] = [
    [
      "of a wrapper outside of pods",
      () => watching().watch.watch({ ...holder, podUid: undefined }, file),
      /^the wrapper: it is not in a pod$/,
    ],
    [
      "of a later process of a container",
      () => watching().watch.watch({ ...holder, namespacePids: [4711, 30] }, file),
      /^the wrapper: it is not the first process/,
    ],
    [
      "if the kubelet is not known",
      () => watching("connect: ENOENT").watch.watch(holder, file),
      /did not find the kubelet: connect: ENOENT/,
    ],
    [
      "if another pod has it",
      () => watching().watch.watch({ ...holder, podUid: "pod-b" }, file),
      /no volume that the kubelet mounted for the pod/,
    ],
  ];
  for (const [name, watch, reason] of rows) test(name, () => expect(watch()).toMatch(reason));
});

test("a file for which a map has no room leaves nothing in the others", () => {
  const forgotten: bigint[] = [];
  const watch = watchTokens({
    files: {
      keep: () => {
        throw new SyscallError("bpf_map_update_elem", E2BIG);
      },
      forget: (registration) => void forgotten.push(registration),
    },
    kubelet: { look: () => ({ kind: "found", mountinfo }) },
  });
  expect(watch.watch(holder, file)).toBe(
    "the kernel takes no more files: bpf_map_update_elem: E2BIG",
  );
  expect(forgotten).toEqual([7n]);
});

test("a lost stream does not end it, and the end of the wrapper does", () => {
  const { watch, kept, living } = watching();
  watch.watch(holder, file);
  watch.disconnected(7n);
  watch.sweep();
  expect(kept.has(7n)).toBe(true);
  living.clear();
  watch.sweep();
  expect(kept.has(7n)).toBe(false);
});

test("a wrapper with an open stream is not looked at", () => {
  const { watch, kept, living } = watching();
  watch.watch(holder, file);
  watch.disconnected(7n);
  watch.watch(holder, file);
  living.clear();
  watch.sweep();
  expect(kept.has(7n)).toBe(true);
});
