import { withoutComments } from "./source-file.ts";

/** `crate::sys::heap` as `["crate", "sys", "heap"]`. */
export type RustPath = readonly string[];

/** The paths in the code of a Rust file. Its tests do not count. */
export interface RustPaths {
  readonly used: readonly RustPath[];
  /** Those behind `pub use`. */
  readonly passedOn: readonly RustPath[];
}

const useItems = /(?<pub>\bpub(?:\([a-z]+\))?\s+)?\buse\s+(?<tree>[^;]+);/g;

/** Finds the paths in the text of a file. */
export function rustPaths(text: string): RustPaths {
  const code = withoutComments(text).replace(/#\[cfg\(test\)\]\s*mod \w+ \{[\s\S]*/, "");
  const items = [...code.matchAll(useItems)].flatMap(({ groups }) =>
    pathsOf(groups?.["tree"] ?? "").map((path) => ({
      path,
      isPublic: groups?.["pub"] !== undefined,
    })),
  );
  const inline = [...code.replace(useItems, "").matchAll(/\b[a-z_]\w*(?:::\w+)+/g)];
  return {
    used: [
      ...items.filter(({ isPublic }) => !isPublic).map(({ path }) => path),
      ...inline.map(([path]) => path.split("::")),
    ],
    passedOn: items.filter(({ isPublic }) => isPublic).map(({ path }) => path),
  };
}

/** `a::{b, c::{self, D}}` holds `a::b`, `a::c` and `a::c::D`. */
function pathsOf(tree: string): readonly RustPath[] {
  const open = tree.indexOf("{");
  if (open === -1) {
    const names = tree
      .trim()
      .replace(/\s+as\s+\w+$/, "")
      .split("::");
    return [names.length > 1 && names.at(-1) === "self" ? names.slice(0, -1) : names];
  }
  const head = tree.slice(0, open).trim();
  return branchesOf(tree.slice(open + 1, tree.lastIndexOf("}"))).flatMap((branch) =>
    pathsOf(`${head}${branch}`),
  );
}

/** The parts between the commas that no inner braces hold. */
function branchesOf(list: string): readonly string[] {
  let depth = 0;
  const branches = [""];
  for (const character of list) {
    if (character === "{") depth += 1;
    if (character === "}") depth -= 1;
    if (character === "," && depth === 0) branches.push("");
    else branches.push(`${branches.pop()}${character}`);
  }
  return branches.map((branch) => branch.trim()).filter((branch) => branch !== "");
}
