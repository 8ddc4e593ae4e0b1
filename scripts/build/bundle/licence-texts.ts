import { join } from "node:path";

/**
 * The paths of licences' texts, by the name that they have in an artefact: from this repository,
 * and from the places in which Debian keeps them.
 *
 * @param list the list of the software of others
 */
export function licenceTexts(root: string, list: string): Readonly<Record<string, string>> {
  return {
    LICENSE: join(root, "LICENSE"),
    "THIRD-PARTY.md": list,
    "glibc.txt": "/usr/share/doc/libc6/copyright",
    "libgcc.txt": "/usr/share/doc/libgcc-s1/copyright",
    "LGPL-2.txt": "/usr/share/common-licenses/LGPL-2",
    "LGPL-2.1.txt": "/usr/share/common-licenses/LGPL-2.1",
    "GPL-3.txt": "/usr/share/common-licenses/GPL-3",
  };
}
