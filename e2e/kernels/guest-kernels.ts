import type { EventMechanism } from "@svc/agent";

/** A kernel that the agent is shown on, as it is booted. */
export interface GuestKernel {
  /** Of its golden table. */
  readonly name: string;
  /** For people. */
  readonly title: string;
  /** The Debian package that depends on the newest kernel of its line. */
  readonly package: string;
  /** What its command line has beside what every guest's has. */
  readonly settings: readonly string[];
  /** The mechanism that the agent is to choose there. */
  readonly tier: EventMechanism;
}

const debian61 = "linux-image-amd64";
const debian612 = "linux-image-6.12-amd64";

/** Every kernel, the oldest first. */
export const guestKernels: readonly GuestKernel[] = [
  {
    name: "debian-6.1",
    title: "Debian's 6.1",
    package: debian61,
    settings: [],
    tier: "lsm",
  },
  {
    name: "debian-6.1-secretmem",
    title: "Debian's 6.1 with `secretmem.enable=1`",
    package: debian61,
    settings: ["secretmem.enable=1"],
    tier: "lsm",
  },
  {
    name: "debian-6.1-confidential",
    title: "Debian's 6.1 with `lockdown=confidentiality`",
    package: debian61,
    settings: ["lockdown=confidentiality"],
    tier: "lsm",
  },
  {
    name: "debian-6.12",
    title: "Debian's 6.12",
    package: debian612,
    settings: [],
    tier: "lsm",
  },
  {
    name: "debian-6.12-without-bpf",
    title: "Debian's 6.12 without `bpf` in `lsm=`",
    package: debian612,
    settings: ["lsm=lockdown,capability,landlock,yama"],
    tier: "fmod_ret",
  },
  {
    name: "debian-6.12-confidential",
    title: "Debian's 6.12 with `lockdown=confidentiality`",
    package: debian612,
    settings: ["lockdown=confidentiality"],
    tier: "lsm",
  },
];
