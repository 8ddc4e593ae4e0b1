/** What a guest is booted with. */
export interface GuestBoot {
  readonly kernel: string;
  readonly fileSystem: string;
  /** More of the kernel's command line. */
  readonly settings: readonly string[];
  /** A folder of this machine that it writes its results to. */
  readonly results: string;
}

const DEADLINE_MS = 240_000;
const MEMORY_MB = 2048;

/** Boots an x86-64 machine that has the files of this one, and gives what its console showed until it powered itself off. */
export async function bootGuest({
  kernel,
  fileSystem,
  settings,
  results,
}: GuestBoot): Promise<string> {
  const line = ["console=ttyS0", "quiet", "panic=-1", "nokaslr", "no_timer_check", "tsc=reliable"];
  const machine = Bun.spawn(
    [
      "qemu-system-x86_64",
      // One processor: with two, QEMU 7.2 fails while programs are attached to functions of the kernel. Never KVM: that
      // its device is there does not mean that a guest boots under it.
      ...["-machine", "pc", "-accel", "tcg", "-cpu", "max", "-smp", "1", "-m", `${MEMORY_MB}`],
      ...["-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot"],
      ...share("files", "/", "readonly=on,multidevs=remap"),
      ...share("results", results, "multidevs=remap"),
      ...["-kernel", kernel, "-initrd", fileSystem, "-append", [...line, ...settings].join(" ")],
    ],
    { stdio: ["ignore", "pipe", "pipe"], timeout: DEADLINE_MS, killSignal: "SIGKILL" },
  );
  const [shown, complaints] = await Promise.all([machine.stdout.text(), machine.stderr.text()]);
  if ((await machine.exited) === 0) return shown;
  const end = machine.signalCode ?? `exit code ${machine.exitCode}`;
  throw new TypeError(`run the guest: ${end}: ${complaints}\n${shown}`);
}

/** A folder that the guest mounts by its tag. */
function share(tag: string, path: string, options: string): readonly string[] {
  return [
    ...["-fsdev", `local,id=${tag},path=${path},security_model=none,${options}`],
    ...["-device", `virtio-9p-pci,fsdev=${tag},mount_tag=${tag}`],
  ];
}
