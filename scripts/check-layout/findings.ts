import { cycles } from "./cycles.ts";
import { importsOf, type SourceFile, withoutComments } from "./source-file.ts";

/** What each package may import; every arrow points down this list. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  protocol: [],
  settings: [],
  vault: [],
  devstore: [],
  kubernetes: [],
  logging: [],
  "agent-protocol": [],
  wrapper: ["kernel", "protocol", "settings", "vault"],
  agent: ["agent-protocol", "kernel", "kubernetes", "logging", "protocol", "settings"],
  bootstrap: ["kernel", "kubernetes", "protocol", "settings", "vault"],
  operator: ["kernel", "kubernetes", "logging", "protocol", "settings"],
  cli: [
    "bootstrap",
    "devstore",
    "kernel",
    "kubernetes",
    "operator",
    "protocol",
    "settings",
    "vault",
  ],
  testing: ["devstore", "kernel", "protocol", "settings", "vault"],
};

// The wrapper writes its few messages itself, and its tests compare them with what is generated.
const forTests = ["testing", "agent-protocol"];

const vagueNames = /(?:^|\/)(?:common|utils?|helpers?|shared|misc)(?:\.ts|\/)/;
const MAX_LINES = 300;

/** Every rule on every file, and circles between files; one line a finding. */
export function findings(files: readonly SourceFile[]): readonly string[] {
  const single = files.flatMap((file) =>
    rules.flatMap((rule) => rule(file).map((problem) => `${file.path}: ${problem}`)),
  );
  return [...single, ...cycles(files)];
}

type Rule = (file: SourceFile) => readonly string[];

const rules: readonly Rule[] = [
  dependencyDirection,
  oneDoorToNativeCode,
  environmentAtTheEdge,
  sayableNames,
  smallFiles,
];

function dependencyDirection({ path, text }: SourceFile): readonly string[] {
  const owner = packageOf(path);
  if (owner === undefined) return [];
  const mayImport = new Set([...(allowed[owner] ?? []), owner]);
  // Tests of a package stand beside its code and may use what only tests use.
  if (isTest(path)) for (const name of forTests) mayImport.add(name);
  return importsOf(text).flatMap((specifier) => {
    const target = /^@svc\/([a-z-]+)$/.exec(specifier)?.[1];
    if (target === undefined) return [];
    if (target === owner) return [`imports its own package "${specifier}": use a relative path`];
    return mayImport.has(target) ? [] : [`must not import "${specifier}"`];
  });
}

function oneDoorToNativeCode({ path, text }: SourceFile): readonly string[] {
  if (path.startsWith("packages/kernel/") || isTest(path)) return [];
  if (!importsOf(text).includes("bun:ffi")) return [];
  return ['imports "bun:ffi": only packages/kernel may'];
}

/** Only programs read the environment; what they call gets values. */
function environmentAtTheEdge({ path, name, text }: SourceFile): readonly string[] {
  if (!path.includes("/src/") || name === "main.ts" || isTest(path)) return [];
  if (packageOf(path) === "testing") return [];
  return /\bprocess\.env\b/.test(withoutComments(text))
    ? ["reads process.env outside main.ts"]
    : [];
}

function sayableNames({ path }: SourceFile): readonly string[] {
  return vagueNames.test(path) ? ["has a name that says nothing"] : [];
}

function smallFiles({ path, text }: SourceFile): readonly string[] {
  const lines = text.split("\n").length;
  return lines > MAX_LINES && !isTest(path) ? [`has ${lines} lines: at most ${MAX_LINES}`] : [];
}

function packageOf(path: string): string | undefined {
  return /^packages\/([a-z-]+)\//.exec(path)?.[1];
}

function isTest(path: string): boolean {
  return /\.test\.ts$|\/testdata\/|\/test\//.test(path);
}
