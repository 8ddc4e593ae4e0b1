import type { GuestMachine } from "./guest-machine.ts";
import { type FolderShare, folderShares } from "./guest-mounts.ts";

/** The parts that a guest boots with. */
export interface GuestBoot {
  readonly machine: GuestMachine;
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

/** The result of a guest. */
export interface GuestEnd {
  /** `powered off`, or how QEMU ended. */
  readonly end: string;
  /** On its console. */
  readonly shown: string;
}

/** Boots a machine that has files of this one, and waits until it has powered itself off. */
export async function bootGuest({
  machine: { emulator, settings: ownSettings, files },
  machine,
  kernel,
  fileSystem,
  settings,
  results,
  deadlineMs,
}: GuestBoot): Promise<GuestEnd> {
  const line = ["quiet", "panic=-1", "nokaslr", ...ownSettings];
  const process = Bun.spawn(
    [
      ...emulator,
      // One processor: with two, QEMU 7.2 fails while programs are attached to functions of the
      // kernel. Never KVM: that its device is there does not mean that a guest boots under it.
      ...["-accel", "tcg", "-smp", "1", "-m", `${MEMORY_MB}`],
      ...["-nodefaults", "-display", "none", "-serial", "stdio", "-no-reboot"],
      ...[{ tag: "files", path: files }, ...folderShares(machine)].flatMap((folder) => {
        return share(folder, "readonly=on,multidevs=remap");
      }),
      ...share({ tag: "results", path: results }, "multidevs=remap"),
      ...["-kernel", kernel, "-initrd", fileSystem, "-append", [...line, ...settings].join(" ")],
    ],
    { stdio: ["ignore", "pipe", "pipe"], timeout: deadlineMs, killSignal: "SIGKILL" },
  );
  const [shown, complaints] = await Promise.all([process.stdout.text(), process.stderr.text()]);
  if ((await process.exited) === 0) return { end: "powered off", shown };
  const end = process.signalCode ?? `exit code ${process.exitCode}`;
  return { end: `${end} ${complaints}`.trim(), shown };
}

/** A folder that the guest mounts by its tag. */
function share({ tag, path }: FolderShare, options: string): readonly string[] {
  return [
    ...["-fsdev", `local,id=${tag},path=${path},security_model=none,${options}`],
    ...["-device", `virtio-9p-pci,fsdev=${tag},mount_tag=${tag}`],
  ];
}
