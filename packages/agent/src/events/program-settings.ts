import type { kernelFiles } from "./event-layout.ts";

/** The file systems of settings; `magic` is that of include/uapi/linux/magic.h. */
export const settingFileSystems = {
  proc: { magic: 0x9fa0 },
  sysfs: { magic: 0x62656572 },
  cgroup: { magic: 0x27e0eb },
  binfmt_misc: { magic: 0x42494e4d },
  /** Any one: it is a file of the machine or of a container. */
  any: {},
} as const satisfies Readonly<Record<string, { readonly magic?: number }>>;

/** A setting by which the kernel, or the loader of programs, runs code that a program never names. */
export interface ProgramSetting {
  /** The name that events have for it. */
  readonly event: (typeof kernelFiles)[number];
  readonly fileSystem: keyof typeof settingFileSystems;
  /** The name of the file; missing if each file of the file system is such a setting. */
  readonly file?: string;
  /** The name of its folder, if files elsewhere may have that name. */
  readonly folder?: string;
}

/**
 * All of them. bpf/program_settings.h is made of it. A test walks the settings of the running kernel
 * and fails for one that names a program and is not here.
 */
export const programSettings: readonly ProgramSetting[] = [
  { event: "core_pattern", fileSystem: "proc", file: "core_pattern" },
  { event: "modprobe", fileSystem: "proc", file: "modprobe" },
  { event: "hotplug", fileSystem: "proc", file: "hotplug" },
  { event: "poweroff_cmd", fileSystem: "proc", file: "poweroff_cmd" },
  // The capabilities that such programs have.
  { event: "usermodehelper", fileSystem: "proc", file: "bset", folder: "usermodehelper" },
  { event: "usermodehelper", fileSystem: "proc", file: "inheritable", folder: "usermodehelper" },
  // fs/ocfs2/nm: the program that ends a cluster's heartbeat.
  { event: "module_program", fileSystem: "proc", file: "hb_ctl_path", folder: "nm" },
  { event: "uevent_helper", fileSystem: "sysfs", file: "uevent_helper" },
  // Parameters of modules: nfs, nfsd, drbd.
  { event: "module_program", fileSystem: "sysfs", file: "cache_getent", folder: "parameters" },
  { event: "module_program", fileSystem: "sysfs", file: "cltrack_prog", folder: "parameters" },
  { event: "module_program", fileSystem: "sysfs", file: "usermode_helper", folder: "parameters" },
  { event: "release_agent", fileSystem: "cgroup", file: "release_agent" },
  // `register`, `status`, and the entries.
  { event: "binfmt_misc", fileSystem: "binfmt_misc" },
  { event: "ld.so.preload", fileSystem: "any", file: "ld.so.preload", folder: "etc" },
];
