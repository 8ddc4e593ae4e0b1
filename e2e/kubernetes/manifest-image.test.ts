import { expect, test } from "bun:test";
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "@svc/protocol";
import { temporaryFolder } from "@svc/testing";

const dist = join(import.meta.dirname, "../../dist/bin/svc");
/** The libraries that an image needs, from the guide. */
const libraries = ["libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0"];

test("the command starts in a read-only image with a loader and four libraries, unprivileged", () => {
  using folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
  const put = (file: string, target = file) => {
    mkdirSync(join(folder.path, dirname(target)), { recursive: true });
    copyFileSync(file, join(folder.path, target));
  };
  const loader = /\0(\/lib[\w/-]*\/ld-[\w.-]+)\0/.exec(readFileSync(dist, "latin1"))?.[1] ?? "";
  put(loader);
  for (const name of libraries) put(pathOf(name));
  put(dist, "/opt/svc/bin/svc");
  mkdirSync(join(folder.path, "proc"));

  const enter = [
    'mount --bind "$1" "$1"',
    'mount -t proc proc "$1/proc"',
    'mount -o remount,bind,ro "$1"',
    'exec chroot --userspec=65532:65532 "$1" /opt/svc/bin/svc --version',
  ].join(" && ");
  const { exitCode, stdout, stderr } = Bun.spawnSync(
    ["unshare", "--mount", "--pid", "--fork", "sh", "-c", enter, "sh", folder.path],
    { env: { PATH: "/usr/sbin:/usr/bin:/sbin:/bin" } },
  );
  const said = { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
  expect(said).toEqual({ exitCode: 0, stdout: `svc ${version}\n`, stderr: "" });
});

/** The place of a library on this machine, as its own loader says. */
function pathOf(name: string): string {
  const { stdout } = Bun.spawnSync(["ldd", dist]);
  const path = new RegExp(`${RegExp.escape(name)} => (\\S+)`).exec(stdout.toString())?.[1];
  if (path === undefined) throw new TypeError(`${dist} needs no ${name}`);
  return path;
}
