import { runTool } from "../../build/bundle/run-tool.ts";

/**
 * The address of Debian's archive, as this machine has it; it ends with a slash.
 *
 * @throws Error if this machine's lists of packages name none.
 */
export function archiveAddress(): string {
  const text = runTool(["apt-get", "indextargets", "--format", "$(REPO_URI)"]);
  const found = text.split("\n").find((address) => /\/debian\/?$/.test(address));
  if (found !== undefined) return found.endsWith("/") ? found : `${found}/`;
  throw new Error(
    "find Debian's archive: /etc/apt names no address that ends with /debian\n" +
      "hint: it takes Debian; or put cargo onto PATH, of the version in engine/Cargo.toml or later",
  );
}
