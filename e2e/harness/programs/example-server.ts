import { resolve } from "node:path";
import { compileGoModule } from "./compile-go-module.ts";

const LIBRARY = resolve(import.meta.dir, "../../../go");

/** The ways to link the example server, by our names for them. */
const servers = {
  "as it is built": "",
  "without symbols and debug information": "-s -w",
} as const;

export type ServerVariant = keyof typeof servers;

/** All of them. */
export const serverVariants = Object.keys(servers).filter(
  (name): name is ServerVariant => name in servers,
);

/** The path of the compiled example server. */
export function exampleServer(variant: ServerVariant = "as it is built"): string {
  return compileGoModule({
    name: "server",
    folder: resolve(LIBRARY, "example/server"),
    sources: [LIBRARY],
    linkerFlags: servers[variant],
  });
}
