import { readdirSync } from "node:fs";

/** The numbers of this process's open descriptors. */
export function openDescriptors(): readonly string[] {
  // The listing's own descriptor is gone when each is looked at.
  return readdirSync("/proc/self/fd").filter((fd) => isOpen(fd));
}

function isOpen(fd: string): boolean {
  try {
    readdirSync(`/proc/self/fdinfo/${fd}`);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "ENOTDIR";
  }
}

/** Runs an action and gives the descriptors that it left open. */
export function descriptorsLeftBy(action: () => void): readonly string[] {
  const before = new Set(openDescriptors());
  action();
  return openDescriptors().filter((fd) => !before.has(fd));
}
