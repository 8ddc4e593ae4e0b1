import { installPackages } from "@svc/testing";

/** The commands that make and run the guest, and their Debian packages. */
const packages: Readonly<Record<string, readonly string[]>> = {
  "qemu-system-aarch64": ["qemu-system-arm"],
  "aarch64-linux-gnu-gcc": ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross"],
};

// Also a step by itself: the bundle for arm64 needs the compiler.
if (import.meta.main) ensureGuestTools();

/** Installs those of the tools that are missing. */
export function ensureGuestTools(): void {
  const missing = Object.entries(packages).filter(([command]) => Bun.which(command) === null);
  installPackages(missing.flatMap(([, names]) => names));
}
