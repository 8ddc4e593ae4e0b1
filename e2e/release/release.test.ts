/** Needs dist/release: `bun scripts/images.ts amd64 && bun scripts/release.ts amd64`. */
import { afterAll, describe, expect, test } from "bun:test";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@svc/testing";
import { ownArchitecture } from "../../scripts/build/bundle/architecture.ts";
import { packagePlans } from "../../scripts/release/package-plan.ts";
import { signRelease } from "../../scripts/release/sign.ts";

const release = join(import.meta.dirname, "../../dist/release");
const files = readdirSync(release);
const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const { debianName } = ownArchitecture();

function artefact(name: string, ending: string): string {
  const file = files.find((found) => {
    return found.startsWith(`${name}_`) && found.endsWith(`_linux_${debianName}.${ending}`);
  });
  return join(release, file ?? `no ${name}.${ending}`);
}

function run(...words: readonly string[]) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...words]);
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Runs a script with this machine's files below its feet, and its changes thrown away. */
function onCopyOfMachine(script: string, ...words: readonly string[]) {
  const work = join(folder.path, `overlay-${Math.random()}`);
  mkdirSync(work);
  const mounts = `
    set -e
    mount -t tmpfs tmpfs "$1"
    mkdir "$1/upper" "$1/work" "$1/root"
    mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
    mount --rbind /proc "$1/root/proc"
    mount --rbind /dev "$1/root/dev"
    mkdir -p "$1/root$2"
    mount --bind "$2" "$1/root$2"
    root=$1/root
    shift 2
    exec chroot "$root" sh -ec "$@"`;
  return run("unshare", "--mount", "sh", "-c", mounts, "sh", work, release, script, "sh", ...words);
}

describe.each(packagePlans)("the package $name", ({ name }) => {
  test("is installed, runs, and is purged without a trace", () => {
    const script = `
      dpkg --install "$2" > /dev/null
      "$3" --version
      ls /etc/svc 2>/dev/null || true
      dpkg --purge "$4" > /dev/null 2>&1
      ls -d /opt/svc/* /etc/svc /usr/bin/svc /usr/lib/systemd/system/svc-* 2>/dev/null || true`;
    const program = name === "svc" ? "/usr/bin/svc" : `/opt/svc/bin/${name}`;
    const words = [release, artefact(name, "deb"), program, name];
    const { exitCode, stdout, stderr } = onCopyOfMachine(script, ...words);
    expect(stderr).toBe("");
    expect(exitCode).toBe(0);
    const [said, ...others] = stdout.trim().split("\n");
    expect(said).toMatch(new RegExp(`^${name} \\d`));
    const settings: Readonly<Record<string, readonly string[]>> = {
      "svc-wrapper": ["app.env.example"],
      "svc-agent": ["agent.env"],
    };
    expect(others).toEqual([...(settings[name] ?? [])]);
  });

  test("has the same files for Debian and for Red Hat", () => {
    const listed = (text: string) =>
      text
        .split("\n")
        .filter((path) => path !== "")
        .sort();
    const deb = run(
      "sh",
      "-c",
      'dpkg-deb --fsys-tarfile "$1" | tar -t',
      "sh",
      artefact(name, "deb"),
    );
    const rpm = run("rpm", "--query", "--package", "--list", artefact(name, "rpm"));
    const ofDeb = listed(deb.stdout)
      .filter((path) => !path.endsWith("/") || path === "./etc/svc/")
      .map((path) => path.replace(/^\./, "").replace(/\/$/, ""));
    expect(listed(rpm.stdout)).toEqual(ofDeb.sort());
  });

  test("has an archive of the same files", () => {
    const { stdout } = run("tar", "-tzf", artefact(name, "tar.gz"));
    const rpm = run("rpm", "--query", "--package", "--list", artefact(name, "rpm"));
    const archived = stdout.split("\n").map((path) => path.replace(/^\./, ""));
    const missing = rpm.stdout.split("\n").filter((path) => !archived.includes(path));
    expect(missing.filter((path) => path !== "/etc/svc")).toEqual([]);
  });

  test("has a bill of materials with the runtime and the C library", () => {
    const bill = JSON.parse(readFileSync(artefact(name, "cdx.json"), "utf8"));
    expect(bill).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.6" });
    const names = bill.components.map(({ name: part }: { name: string }) => part);
    const linked = ["libc6-dev", "libstd-rust-web-dev", "rquickjs-sys", "rustls"];
    const parts = name === "svc-wrapper" ? linked : ["bun", "libc6", "libgcc-s1"];
    expect(names).toEqual(expect.arrayContaining(parts));
    if (name === "svc-agent") expect(names).toContain("@connectrpc/connect");
  });
});

describe("a release that is signed", () => {
  const copy = join(folder.path, "signed");
  const at = (name: string) => join(folder.path, name);
  const verify = () => {
    return run("minisign", "-V", "-q", "-p", at("key.pub"), "-m", join(copy, "SHA256SUMS"));
  };
  const check = () =>
    run("sh", "-c", 'cd "$1" && sha256sum --check --quiet SHA256SUMS', "sh", copy);

  test("is verified by its public key, and all files by SHA256SUMS", () => {
    cpSync(release, copy, { recursive: true });
    run("minisign", "-G", "-W", "-p", at("key.pub"), "-s", at("key.sec"));
    expect(signRelease(copy, at("key.sec"))).toBeUndefined();
    expect(verify().exitCode).toBe(0);
    expect(check()).toMatchObject({ exitCode: 0, stdout: "" });
  });

  test("is refused if a file or the sums were changed", () => {
    appendFileSync(join(copy, files.find((name) => name.endsWith(".deb")) ?? ""), "x");
    expect(check().exitCode).not.toBe(0);
    expect(verify().exitCode).toBe(0);
    appendFileSync(join(copy, "SHA256SUMS"), "x");
    expect(verify().exitCode).not.toBe(0);
  });

  test("names a key that is missing", () => {
    expect(signRelease(copy, at("no.sec"))).toBe(`MINISIGN_KEY: no file ${at("no.sec")}`);
  });
});
