import type { EventMechanism } from "@svc/agent";

/** A kernel that the agent is shown on, as it is booted. */
export interface GuestKernel {
  /** The name of its golden table. */
  readonly name: string;
  /**
   * The kernel whose golden table its own one is written as differences from: one with as few
   * differences as possible.
   */
  readonly base?: string;
  /** For people. */
  readonly title: string;
  readonly image: ImageName;
  /** The additions to its command line, beside those of every guest. */
  readonly settings: readonly string[];
  /** The mechanism that an agent is to choose there to see. */
  readonly tier: EventMechanism;
  /** That of one that enforces; by default the same. */
  readonly stopsBy?: EventMechanism;
  /**
   * Agents come and go there, which takes a minute: once for each way of refusing that outlives
   * one.
   */
  readonly hasSurvival?: true;
}

/**
 * The Debian package that depends on the newest kernel of its line, or the one that is compiled for
 * kprobes that refuse.
 */
export type ImageName = DebianImageName | "override";

/** It ends with the architecture. */
export type DebianImageName =
  | "linux-image-amd64"
  | "linux-image-6.12-amd64"
  | "linux-image-6.12-arm64";

const debian61 = "linux-image-amd64";
const debian612 = "linux-image-6.12-amd64";
const arm64Debian612 = "linux-image-6.12-arm64";

/** Every kernel, the oldest first. */
export const guestKernels: readonly GuestKernel[] = [
  {
    name: "debian-6.1",
    base: "debian-6.12",
    title: "Debian's 6.1",
    image: debian61,
    settings: [],
    tier: "lsm",
    hasSurvival: true,
  },
  {
    name: "debian-6.1-secretmem",
    base: "debian-6.1",
    title: "Debian's 6.1 with `secretmem.enable=1`",
    image: debian61,
    settings: ["secretmem.enable=1"],
    tier: "lsm",
  },
  {
    name: "debian-6.1-confidential",
    base: "debian-6.12-confidential",
    title: "Debian's 6.1 with `lockdown=confidentiality`",
    image: debian61,
    settings: ["lockdown=confidentiality"],
    tier: "lsm",
  },
  {
    name: "debian-6.12",
    title: "Debian's 6.12",
    image: debian612,
    settings: [],
    tier: "lsm",
    hasSurvival: true,
  },
  {
    name: "debian-6.12-without-bpf",
    base: "debian-6.12",
    title: "Debian's 6.12 without `bpf` in `lsm=`",
    image: debian612,
    settings: ["lsm=lockdown,capability,landlock,yama"],
    tier: "fmod_ret",
    hasSurvival: true,
  },
  {
    name: "debian-6.12-confidential",
    base: "debian-6.12",
    title: "Debian's 6.12 with `lockdown=confidentiality`",
    image: debian612,
    settings: ["lockdown=confidentiality"],
    tier: "lsm",
  },
  {
    name: "debian-6.12-arm64",
    base: "debian-6.12",
    title: "Debian's 6.12 for arm64",
    image: arm64Debian612,
    settings: [],
    tier: "lsm",
    hasSurvival: true,
  },
  {
    name: "debian-6.12-arm64-without-bpf",
    base: "debian-6.12-without-bpf",
    title: "Debian's 6.12 for arm64 without `bpf` in `lsm=`",
    image: arm64Debian612,
    settings: ["lsm=lockdown,capability,landlock,yama"],
    tier: "fmod_ret",
  },
  {
    name: "debian-6.12-arm64-without-ftrace",
    base: "override-disarmed",
    title: "Debian's 6.12 for arm64 with ftrace switched off, which calls hooks",
    image: arm64Debian612,
    settings: ["svc.ftrace=off"],
    tier: "tracing",
  },
  {
    name: "override",
    base: "override-disarmed",
    title: "6.12 with `BPF_KPROBE_OVERRIDE`, without functions that BPF could be called from",
    image: "override",
    settings: [],
    tier: "tracing",
    stopsBy: "override",
  },
  {
    name: "override-disarmed",
    base: "debian-6.12",
    title: "the same with its kprobes switched off",
    image: "override",
    settings: ["svc.kprobes=off"],
    tier: "tracing",
  },
];
