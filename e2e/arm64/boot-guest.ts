const DEADLINE_MS = 240_000;

/** The kernel, files and memory that a guest starts with. */
export interface GuestBoot {
  readonly kernel: string;
  /** A cpio archive with `/init`. */
  readonly fileSystem: string;
}

/**
 * Boots an arm64 machine without disks and network, and gives its console's output until it
 * powered itself off.
 */
export async function bootGuest({ kernel, fileSystem }: GuestBoot): Promise<string> {
  const machine = Bun.spawn(
    [
      "qemu-system-aarch64",
      // Not -cpu max: Bun 1.4.5 crashes on it in code of its last compiler tier (QEMU 7.2).
      ...["-machine", "virt", "-cpu", "neoverse-n1", "-smp", "1", "-m", "2048"],
      ...["-accel", "tcg", "-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot"],
      ...["-kernel", kernel, "-initrd", fileSystem],
      // memfd_secret must be asked for before Linux 6.5; a panic ends the run.
      ...["-append", "console=ttyAMA0 quiet loglevel=1 panic=-1 secretmem.enable=1"],
    ],
    { stdio: ["ignore", "pipe", "pipe"], timeout: DEADLINE_MS, killSignal: "SIGKILL" },
  );
  const [shown, complaints] = await Promise.all([machine.stdout.text(), machine.stderr.text()]);
  if ((await machine.exited) === 0) return shown;
  const end = machine.signalCode ?? `exit code ${machine.exitCode}`;
  throw new TypeError(`run the guest: ${end}: ${complaints}\n${shown}`);
}
