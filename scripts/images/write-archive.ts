import { archiveTimeSeconds } from "../build/bundle/archive-time.ts";
import { runTool } from "../build/bundle/run-tool.ts";

/** Archives a folder with GNU tar. The same files give the same bytes. */
export function writeArchive(folder: string, archive: string): void {
  const order = ["--sort=name", `--mtime=@${archiveTimeSeconds}`, "--mode=u=rwX,go=rX"];
  const owner = ["--owner=0", "--group=0", "--numeric-owner"];
  const create = ["tar", "--create", "--format=ustar", ...order, ...owner];
  runTool([...create, "-f", archive, "-C", folder, "."]);
}
