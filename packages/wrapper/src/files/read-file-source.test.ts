import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { opened } from "../testdata/outcomes.ts";
import { FileError } from "./file-error.ts";
import { readFileSource } from "./read-file-source.ts";

const TIMEOUT_MS = 60_000;
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, name);
afterAll(() => folder[Symbol.dispose]());

/** The fields of a file or folder, in comparable form. */
function fieldsOf(path: string): Readonly<Record<string, string | null>> {
  const { fields } = readFileSource(path).secret;
  return Object.fromEntries([...fields].map(([name, value]) => [name, opened(value)]));
}

function errorOf(path: string): FileError {
  try {
    readFileSource(path);
  } catch (error) {
    if (error instanceof FileError) return error;
    throw error;
  }
  throw new TypeError(`${path} was read`);
}

function makeFolder(name: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(at(name), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(at(name), file), text);
  return at(name);
}

/** A volume as a kubelet makes it: each name is a link to one behind `..data`. */
function makeVolume(name: string, files: Readonly<Record<string, string>>): string {
  makeFolder(`${name}/..2026_1`, files);
  symlinkSync("..2026_1", join(at(name), "..data"));
  for (const file of Object.keys(files)) symlinkSync(`..data/${file}`, join(at(name), file));
  return at(name);
}

describe("a secret is read from", () => {
  test("a file", () => {
    writeFileSync(at("db"), "hunter2\n");
    expect(fieldsOf(at("db"))).toEqual({ db: "hunter2" });
  });

  test("a link to a file, with the name of the link", () => {
    symlinkSync("db", at("link"));
    expect(fieldsOf(at("link"))).toEqual({ link: "hunter2" });
  });

  test("a file of the largest size", () => {
    writeFileSync(at("large"), "x".repeat(1 << 20));
    expect(fieldsOf(at("large"))["large"]).toHaveLength(1 << 20);
  });

  test("a folder, whose files are the fields, also those that begin with a dot", () => {
    const path = makeFolder("plain", { user: "app\n", ".dockerconfigjson": '{"auths":{}}' });
    expect(fieldsOf(path)).toEqual({ user: "app", ".dockerconfigjson": '{"auths":{}}' });
  });

  test("a folder, and a JSON object in it is one field", () => {
    const path = makeFolder("json", { "key.json": '{"a":"b"}' });
    expect(fieldsOf(path)).toEqual({ "key.json": '{"a":"b"}' });
  });

  test("a folder without its folders, and with an empty file", () => {
    const path = makeFolder("nested", { a: "" });
    mkdirSync(join(path, "lost+found"));
    expect(fieldsOf(path)).toEqual({ a: "" });
  });

  test("a volume of a kubelet, and from a link to it", () => {
    const path = makeVolume("volume", { user: "app", password: "x" });
    expect(fieldsOf(path)).toEqual({ user: "app", password: "x" });
    symlinkSync("volume", at("to-volume"));
    expect(fieldsOf(at("to-volume"))).toEqual({ user: "app", password: "x" });
  });

  test("one file of a volume of a kubelet", () => {
    expect(fieldsOf(join(at("volume"), "password"))).toEqual({ password: "x" });
  });
});

describe("an error names the path and the cause:", () => {
  const make: Readonly<Record<string, () => string>> = {
    missing: () => at("missing"),
    "below-a-file": () => {
      writeFileSync(at("file"), "x");
      return at("file/db");
    },
    fifo: () => {
      Bun.spawnSync(["mkfifo", at("fifo")]);
      return at("fifo");
    },
    device: () => "/dev/null",
    "link-loop": () => {
      symlinkSync("link-loop", at("link-loop"));
      return at("link-loop");
    },
    "too-large": () => {
      writeFileSync(at("too-large"), "x".repeat((1 << 20) + 1));
      return at("too-large");
    },
    empty: () => {
      writeFileSync(at("empty"), "");
      return at("empty");
    },
    "empty-folder": () => makeFolder("empty-folder", {}),
    "fifo-in-folder": () => {
      const path = makeFolder("fifo-in-folder", { a: "1" });
      Bun.spawnSync(["mkfifo", join(path, "pipe")]);
      return path;
    },
    "large-in-folder": () => makeFolder("large-in-folder", { big: "x".repeat((1 << 20) + 1) }),
    "folder-too-large": () => {
      const files = Array.from({ length: 5 }, (_, n) => [`f${n}`, "x".repeat(1 << 20)]);
      return makeFolder("folder-too-large", Object.fromEntries(files));
    },
    "too-many": () => {
      const files = Array.from({ length: 1001 }, (_, n) => [`f${n}`, "x"]);
      return makeFolder("too-many", Object.fromEntries(files));
    },
    "dangling-link": () => {
      const path = makeFolder("dangling-link", { a: "1" });
      symlinkSync("nowhere", join(path, "b"));
      return path;
    },
    "dangling-data": () => {
      const path = makeFolder("dangling-data", { a: "1" });
      writeFileSync(join(path, "..data"), "");
      return path;
    },
    "repeated-key": () => {
      writeFileSync(at("repeated-key"), '{"a":"1","a":"2"}');
      return at("repeated-key");
    },
    "odd-name": () => {
      const path = makeFolder("odd-name", {});
      writeFileSync(Buffer.from([...new TextEncoder().encode(`${path}/a`), 0xff]), "x");
      return path;
    },
  };
  const rows: readonly (readonly [name: string, text: string, retryable: boolean])[] = [
    ["missing", "it is not there (ENOENT)", true],
    ["below-a-file", "it is not there (ENOTDIR)", true],
    ["fifo", "it is a device, a FIFO or a socket", false],
    ["device", "it is a device, a FIFO or a socket", false],
    ["link-loop", "it is a loop of links (ELOOP)", false],
    ["too-large", "it is larger than 1 MiB, or its folder than 4 MiB", false],
    ["empty", "it is empty", true],
    ["empty-folder", "it is a folder without files", true],
    ["fifo-in-folder", '"pipe" is a device, a FIFO or a socket', false],
    ["large-in-folder", '"big" is larger than 1 MiB, or its folder than 4 MiB', false],
    ["folder-too-large", "it is larger than 1 MiB, or its folder than 4 MiB", false],
    ["too-many", "it has more than 1000 names", false],
    ["dangling-link", '"b" is a link to nothing', true],
    ["dangling-data", "it is not there (ENOTDIR)", true],
    ["repeated-key", "it is a JSON object with a key twice", false],
    ["odd-name", '"a\ufffd" has a name that is not UTF-8', false],
  ];
  for (const [name, text, retryable] of rows) {
    test(
      name,
      () => {
        const path = make[name]?.() ?? "";
        const error = errorOf(path);
        expect(error.failure.message).toBe(`read file:${path}: ${text}`);
        expect(error.failure.code).toBe("FILE_UNREADABLE");
        expect(error.retryable).toBe(retryable);
      },
      TIMEOUT_MS,
    );
  }
});

describe("others may read it, or not,", () => {
  const exposureOf = (path: string) => readFileSource(path).exposure;

  test("by the mode of a file", () => {
    writeFileSync(at("mode"), "x");
    chmodSync(at("mode"), 0o640);
    expect(exposureOf(at("mode")).isWorldReadable).toBe(false);
    chmodSync(at("mode"), 0o644);
    expect(exposureOf(at("mode")).isWorldReadable).toBe(true);
  });

  test("by the most open file of a folder", () => {
    const path = makeFolder("modes", { a: "1", b: "2" });
    chmodSync(join(path, "a"), 0o600);
    chmodSync(join(path, "b"), 0o600);
    expect(exposureOf(path).isWorldReadable).toBe(false);
    chmodSync(join(path, "b"), 0o604);
    expect(exposureOf(path).isWorldReadable).toBe(true);
  });

  test("memory and a disk differ", () => {
    const path = `/dev/shm/svc-${crypto.randomUUID()}`;
    writeFileSync(path, "x");
    try {
      expect(exposureOf(path).isInMemory).toBe(true);
    } finally {
      rmSync(path);
    }
    expect(exposureOf("/etc/passwd").isInMemory).toBe(false);
  });
});

test(
  "the files of a volume that changes all the time are of one version",
  async () => {
    const path = makeVolume("busy", { a: "0", b: "0", c: "0" });
    const swap = `
    n=1
    while :; do
      n=$((n + 1)); mkdir "..2026_$n"
      for f in a b c; do echo $n > "..2026_$n/$f"; done
      ln -s "..2026_$n" ..data_tmp; mv -T ..data_tmp ..data
      rm -rf "..2026_$((n - 1))"
    done`;
    const writer = Bun.spawn(["sh", "-c", swap], {
      cwd: path,
      stdio: ["ignore", "ignore", "ignore"],
    });
    try {
      const seen = new Set<string | null | undefined>();
      const endMs = performance.now() + 20_000;
      for (
        let reads = 0;
        (reads < 2000 || seen.size < 20) && performance.now() < endMs;
        reads += 1
      ) {
        const { a, b, c } = fieldsOf(path);
        expect([b, c]).toEqual([a, a]);
        seen.add(a);
        if (reads % 50 === 0) await Bun.sleep(1);
      }
      expect(seen.size).toBeGreaterThan(5);
    } finally {
      writer.kill(9);
      await writer.exited;
    }
  },
  TIMEOUT_MS,
);

test(
  "a file that is replaced all the time is one of its versions",
  async () => {
    writeFileSync(at("growing"), "0".repeat(5000));
    const write = `while :; do for d in 1 2 3; do head -c 5000 /dev/zero | tr '\\0' $d > new; mv new growing; done; done`;
    const writer = Bun.spawn(["sh", "-c", write], {
      cwd: folder.path,
      stdio: ["ignore", "ignore", "ignore"],
    });
    try {
      for (let reads = 0; reads < 500; reads += 1) {
        const { growing } = fieldsOf(at("growing"));
        expect(growing).toMatch(/^(\d)\1{4999}$/);
      }
    } finally {
      writer.kill(9);
      await writer.exited;
    }
  },
  TIMEOUT_MS,
);

test("a folder that is replaced by a rename is read as a whole", () => {
  const path = makeFolder("before", { a: "1" });
  makeFolder("after", { a: "2" });
  expect(fieldsOf(path)).toEqual({ a: "1" });
  rmSync(path, { recursive: true });
  renameSync(at("after"), path);
  expect(fieldsOf(path)).toEqual({ a: "2" });
});
