/** As many of the last lines as say, as a rule, why a command that runs no tests has failed. */
const LAST_LINES = 40;

/**
 * The part of a failed step's output that names the failure. It has each failed test of `bun test`
 * with its file, and all output since the failure before it. If tests run at the same time,
 * the error may come before the line of another one. If no test is called failed (a build, Go, a
 * run that was ended) it is the last lines.
 */
export function failuresIn(output: string): string {
  const lines = output.trimEnd().split("\n");
  const failures: string[] = [];
  let file = "";
  let since: string[] = [];
  for (const [index, line] of lines.entries()) {
    // From here on it repeats the names of those that failed.
    if (/^\d+ tests? failed:$/.test(line)) break;
    if (/^\S+\.test\.tsx?:$/.test(line)) {
      file = line;
      since = [];
    } else if (line.startsWith("(fail) ")) {
      // The next line says so if a test ran out of time.
      const late = lines[index + 1]?.trimStart().startsWith("^ ") ? [lines[index + 1]] : [];
      failures.push([file, ...since, line, ...late].join("\n"));
      since = [];
    } else if (!/^\((pass|skip|todo)\) /.test(line)) {
      since.push(line);
    }
  }
  return failures.length > 0 ? failures.join("\n") : lines.slice(-LAST_LINES).join("\n");
}

/** The names of the tests of `bun test` that have failed, each once, with their files. */
export function failedTests(output: string): readonly string[] {
  let file = "";
  const names = output.split("\n").flatMap((line) => {
    if (/^\S+\.test\.tsx?:$/.test(line)) file = line.slice(0, -1);
    const [, name] = /^\(fail\) (.*?)(?: \[[\d.]+ms\])?$/.exec(line) ?? [];
    return name === undefined ? [] : [{ file, name }];
  });
  // The closing lines repeat the names, and name no file.
  const seen = new Set<string>();
  return names.flatMap(({ file: path, name }) => {
    if (seen.has(name)) return [];
    seen.add(name);
    return [`${path}: ${name}`];
  });
}
