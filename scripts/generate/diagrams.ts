import { readFileSync } from "node:fs";
import { join } from "node:path";
import { instance } from "@viz-js/viz";
import type { GeneratedFile } from "./generated-file.ts";

const root = join(import.meta.dirname, "../..");
const graphviz = await instance();

/** `docs/images/NAME.svg`, which Graphviz makes of the text in `NAME.dot` beside it. */
export const diagrams: readonly GeneratedFile[] = ["attempt", "delivery"].map((name) => ({
  path: `docs/images/${name}.svg`,
  render: () => {
    const text = readFileSync(join(root, `docs/images/${name}.dot`), "utf8");
    return graphviz.renderString(text, { format: "svg", engine: "dot" });
  },
}));
