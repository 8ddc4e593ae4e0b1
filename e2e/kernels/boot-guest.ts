/** What a guest is booted with. */
export interface GuestBoot {
  readonly kernel: string;
  readonly fileSystem: string;
  /** More of the kernel's command line. */
  readonly settings: readonly string[];
  /** A folder of this machine that it writes its results to. */
  readonly results: string;
  /** When it is killed. */
  readonly deadlineMs: number;
}

const MEMORY_MB = 2048;

/** What became of a guest. */
export interface GuestEnd {
  /** `powered off`, or how QEMU ended. */
  readonly end: string;
  /** On its console. */
  readonly shown: string;
}

/** Boots an x86-64 machine that has the files of this one, and waits until it has powered itself off. */
export async function bootGuest({
  kernel,
  fileSystem,
  settings,
  results,
  deadlineMs,
}: GuestBoot): Promise<GuestEnd> {
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
    { stdio: ["ignore", "pipe", "pipe"], timeout: deadlineMs, killSignal: "SIGKILL" },
  );
  const [shown, complaints] = await Promise.all([machine.stdout.text(), machine.stderr.text()]);
  if ((await machine.exited) === 0) return { end: "powered off", shown };
  const end = machine.signalCode ?? `exit code ${machine.exitCode}`;
  return { end: `${end} ${complaints}`.trim(), shown };
}

/** A folder that the guest mounts by its tag. */
function share(tag: string, path: string, options: string): readonly string[] {
  return [
    ...["-fsdev", `local,id=${tag},path=${path},security_model=none,${options}`],
    ...["-device", `virtio-9p-pci,fsdev=${tag},mount_tag=${tag}`],
  ];
}
