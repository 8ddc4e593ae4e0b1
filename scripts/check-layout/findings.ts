import { deepImports } from "./entry-points.ts";
import { fileCircles } from "./file-circles.ts";
import { folderCircles } from "./folder-circles.ts";
import { longFunctions } from "./long-functions.ts";
import { moduleCircles } from "./module-circles.ts";
import { importedFiles, importsOf, type SourceFile, withoutComments } from "./source-file.ts";

/** The packages that each package may import; every arrow points down this list. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  protocol: [],
  settings: [],
  // The stand-ins for Node and Bun in tests on the engine.
  engine: ["kernel"],
  "secret-bytes": ["kernel"],
  vault: ["kernel", "secret-bytes"],
  devstore: [],
  logging: [],
  kubernetes: ["logging"],
  "agent-protocol": [],
  wrapper: ["kernel", "protocol", "secret-bytes", "settings", "vault"],
  agent: ["agent-protocol", "kernel", "kubernetes", "logging", "protocol", "settings"],
  bootstrap: ["kernel", "kubernetes", "protocol", "settings", "vault"],
  operator: ["kernel", "kubernetes", "logging", "protocol", "secret-bytes", "settings", "vault"],
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
  simulator: ["devstore", "kernel", "secret-bytes"],
  testing: ["devstore", "kernel", "protocol", "settings", "vault"],
};

/** Packages whose code runs on two runtimes: Bun's in folders bun/, the engine's in folders engine/. */
const seams = /^packages\/(?:protocol|secret-bytes|settings|vault)\/src\//;
/** Code that runs on the engine, as the wrapper's does, alone or as well as on Bun. */
const portable = /^packages\/(?:protocol|secret-bytes|settings|vault|wrapper)\/src\//;
const bunOnly = /\b(?:Bun\.\w+|Buffer\b|Response\b|fetch\(|process\.getBuiltinModule)/;

/** Folders of decisions: values in, values out. */
const pure = /^packages\/wrapper\/src\/life\//;
const impureImport =
  /^import (?!type )[^;]*?from "(?<from>\.\.\/(?:courier|lifecycle|processes|supervisor|tracer)\/[^"]*)"/gm;
const impureWord = /\b(?:performance|process|setTimeout|setInterval|Date\.now|Math\.random)\b/;

const vagueNames = /(?:^|\/)(?:common|utils?|helpers?|shared|misc)(?:\.ts|\/)/;
const MAX_LINES = 300;

/** Every rule on every file, and circles of files, folders and modules; one text a finding. */
export function findings(files: readonly SourceFile[]): readonly string[] {
  const typescript = files.filter(({ path }) => path.endsWith(".ts"));
  const single = typescript.flatMap((file) =>
    rules.flatMap((rule) => rule(file).map((problem) => `${file.path}: ${problem}`)),
  );
  return [
    ...single,
    ...fileCircles(typescript),
    ...folderCircles(typescript),
    ...moduleCircles(files.filter(({ path }) => path.endsWith(".rs"))),
  ];
}

type Rule = (file: SourceFile) => readonly string[];

const rules: readonly Rule[] = [
  dependencyDirection,
  nativeCodeInOnePackage,
  engineFromItsFoldersOnly,
  bunInItsFolder,
  backendsByCondition,
  environmentAtTheEdge,
  pureDecisions,
  sayableNames,
  smallFiles,
  smallFunctions,
  deepImports,
  stagesApart,
];

function dependencyDirection({ path, text }: SourceFile): readonly string[] {
  const owner = packageOf(path);
  if (owner === undefined) return [];
  const mayImport = new Set([...(allowed[owner] ?? []), owner]);
  // Tests of a package stand beside its code and may use packages for tests.
  if (isTest(path)) mayImport.add("testing");
  return importsOf(text).flatMap((specifier) => {
    const target = /^@svc\/([a-z-]+)$/.exec(specifier)?.[1];
    if (target === undefined) return [];
    if (target === owner) return [`imports its own package "${specifier}": use a relative path`];
    return mayImport.has(target) ? [] : [`must not import "${specifier}"`];
  });
}

function nativeCodeInOnePackage({ path, text }: SourceFile): readonly string[] {
  if (path.startsWith("packages/kernel/") || isTest(path)) return [];
  if (!importsOf(text).includes("bun:ffi")) return [];
  return ['imports "bun:ffi": only packages/kernel may'];
}

function engineFromItsFoldersOnly({ path, text }: SourceFile): readonly string[] {
  if (folderOf(path, "engine") || isTest(path) || !importsOf(text).includes("svc:engine"))
    return [];
  return ['imports "svc:engine": only files in a folder engine/ may'];
}

/** Code for one runtime is in the folder of that runtime. */
function bunInItsFolder({ path, text }: SourceFile): readonly string[] {
  if (!portable.test(path) || isTest(path) || folderOf(path, "bun")) return [];
  const imports = importsOf(text).filter((specifier) => /^(?:bun|node):/.test(specifier));
  const [used] = bunOnly.exec(withoutComments(text)) ?? [];
  return [
    ...imports.map((specifier) => `imports "${specifier}" outside of a folder bun/`),
    ...(used === undefined ? [] : [`uses ${used} outside of a folder bun/`]),
  ];
}

/** A package.json chooses the backend by its `imports`: nothing else names one. */
function backendsByCondition(file: SourceFile): readonly string[] {
  const { path } = file;
  if (!seams.test(path) || isTest(path)) return [];
  return importedFiles(file)
    .filter((target) =>
      ["bun", "engine"].some((name) => folderOf(target, name) && !folderOf(path, name)),
    )
    .map((target) => `imports ${target}: package.json chooses between bun/ and engine/`);
}

function folderOf(path: string, name: string): boolean {
  return (
    path.startsWith(`packages/${name}/`) || (path.includes("/src/") && path.includes(`/${name}/`))
  );
}

/** Only programs read the environment; the code that they call gets values. */
function environmentAtTheEdge({ path, name, text }: SourceFile): readonly string[] {
  if (!path.includes("/src/") || name === "main.ts" || isTest(path)) return [];
  if (packageOf(path) === "testing") return [];
  return /\bprocess\.env\b/.test(withoutComments(text))
    ? ["reads process.env outside main.ts"]
    : [];
}

/** Decisions take the time and all else that changes as an argument. */
function pureDecisions({ path, text }: SourceFile): readonly string[] {
  if (!pure.test(path) || isTest(path)) return [];
  const code = withoutComments(text);
  const imports = [...code.matchAll(impureImport)].map(({ groups }) => groups?.["from"]);
  const [used] = impureWord.exec(code) ?? [];
  return [
    ...imports.map((specifier) => `imports "${specifier}" into a folder of decisions`),
    ...(used === undefined ? [] : [`uses ${used} in a folder of decisions`]),
  ];
}

/** A folder of `e2e/` runs by itself. Code that several folders use is in `e2e/harness`. */
function stagesApart(file: SourceFile): readonly string[] {
  const own = stageOf(file.path);
  if (own === undefined) return [];
  return importedFiles(file)
    .filter((target) => ![own, "harness", undefined].includes(stageOf(target)))
    .map((target) => `imports ${target}: move it to e2e/harness`);
}

function stageOf(path: string): string | undefined {
  return /^e2e\/([a-z0-9-]+)\//.exec(path)?.[1];
}

function sayableNames({ path }: SourceFile): readonly string[] {
  return vagueNames.test(path) ? ["has a name that says nothing"] : [];
}

function smallFiles({ path, text }: SourceFile): readonly string[] {
  const lines = text.split("\n").length;
  return lines > MAX_LINES && !isTest(path) ? [`has ${lines} lines: at most ${MAX_LINES}`] : [];
}

/** A test's function holds all tests of its group. */
function smallFunctions(file: SourceFile): readonly string[] {
  return /\.(?:engine-)?test\.ts$/.test(file.path) ? [] : longFunctions(file);
}

function packageOf(path: string): string | undefined {
  return /^packages\/([a-z-]+)\//.exec(path)?.[1];
}

function isTest(path: string): boolean {
  return /\.(?:engine-)?test\.ts$|\/testdata\/|\/test\//.test(path);
}
