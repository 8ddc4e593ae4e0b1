import { accepted, type Parsed, parsePlainText, refused } from "@svc/settings";

/** Parses KUBECONFIG: paths with `:` between them, empty ones left out as kubectl does. */
export function parseKubeconfigPaths(text: string): Parsed<readonly string[]> {
  const paths = text.split(":").filter((path) => path !== "");
  if (paths.length > 0 && paths.every((path) => parsePlainText(path).ok)) return accepted(paths);
  return refused("paths of kubeconfig files with : between them");
}
