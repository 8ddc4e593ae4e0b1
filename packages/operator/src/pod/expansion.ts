/**
 * How Kubernetes expands `$(NAME)` in a container's command, args and env values, and `$$` to `$`:
 * k8s.io/kubernetes third_party/forked/golang/expansion/expand.go.
 */

/**
 * Kubernetes' expansion of a text in a container without variables: references stay, `$$` is `$`.
 * Undefined for a text with a reference, whose outcome only the node knows.
 */
export function expandedWithoutReferences(text: string): string | undefined {
  let expanded = "";
  const lastEnd = text.lastIndexOf(")");
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    const next = text.charAt(index + 1);
    if (char === "$" && next === "(" && lastEnd > index + 1) return undefined;
    expanded += char;
    if (char === "$" && next === "$") index += 1;
  }
  return expanded;
}

/** The names of the references in a text, as Kubernetes finds them. */
export function referencesIn(text: string): readonly string[] {
  const names: string[] = [];
  const lastEnd = text.lastIndexOf(")");
  for (let at = text.indexOf("$"); at >= 0 && at < lastEnd; at = text.indexOf("$", at)) {
    const end = text[at + 1] === "(" ? text.indexOf(")", at + 2) : -1;
    if (end < 0) {
      // The second of two dollars begins no reference.
      at += text[at + 1] === "$" ? 2 : 1;
      continue;
    }
    names.push(text.slice(at + 2, end));
    at = end + 1;
  }
  return names;
}

/** Writes a text so that Kubernetes' expansion gives the text itself. */
export function escapedForExpansion(text: string): string {
  return text.replaceAll("$", "$$$$");
}
