import type { Architecture } from "./bundle/architecture.ts";

/** The folder of the programs for an architecture, from the root. */
export function programsFolder({ name }: Architecture): string {
  return name === process.arch ? "dist/bin" : `dist/bin-${name}`;
}
