import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { configView } from "./config-view.ts";
import { proseView } from "./prose-view.ts";

/** A sentence that breaks a rule of `styles/svc`. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/** The text of a file that people read, as Markdown with the lines of the file. */
export interface Prose {
  readonly path: string;
  readonly text: string;
}

const config = join(import.meta.dirname, "vale.ini");
const documents = new Bun.Glob("**/{*.md,NOTES.txt}");
/** Files with the comments of C. */
const sources = new Bun.Glob("**/*.{ts,js,rs,go,c,h,arm64.s,java,php,proto,dot}");
/** Files with `#` comments. */
const configurations = new Bun.Glob(
  "**/{*.{sh,py,rb,pl,yml,yaml,toml,ini,tpl,service,Dockerfile,x64.s},Makefile,.ci/run}",
);
/** Not written here by hand, or test vectors. */
const leftOut = new Set([".git", "node_modules", "dist", "LICENSE"]);

/** Reads the prose of every document and source file below `root`. */
export async function readProse(root: string): Promise<readonly Prose[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const paths = entries
    .filter(({ name }) => !leftOut.has(name))
    .flatMap((entry) => (entry.isDirectory() ? filesBelow(root, entry.name) : [entry.name]))
    .filter((path) => [documents, sources, configurations].some((kind) => kind.match(path)));
  return await Promise.all(paths.sort().map(async (path) => await readFileProse(root, path)));
}

function filesBelow(root: string, folder: string): readonly string[] {
  const found = new Bun.Glob("**/*").scanSync({ cwd: join(root, folder), dot: true });
  return [...found]
    .filter((path) => !/(^|\/)(node_modules|generated|target|vectors)\//.test(path))
    .map((path) => `${folder}/${path}`);
}

async function readFileProse(root: string, path: string): Promise<Prose> {
  const text = await readFile(join(root, path), "utf8");
  if (path.endsWith(".txt")) return { path, text: text.replace(/\{\{.*?\}\}/g, "Name") };
  if (documents.match(path)) return { path, text };
  if (configurations.match(path)) return { path, text: configView(text) };
  return { path, text: proseView(text, path.endsWith(".ts") ? "typescript" : "other") };
}

/**
 * Runs Vale once over all texts, which it writes below `folder`.
 *
 * @throws Error when Vale cannot read its rules
 */
export async function findProse(
  vale: string,
  folder: string,
  texts: readonly Prose[],
): Promise<readonly Finding[]> {
  const written = texts.filter(({ text }) => /\S/.test(text));
  for (const name of new Set(written.map(({ path }) => dirname(path)))) {
    await mkdir(join(folder, name), { recursive: true });
  }
  await Promise.all(written.map(({ path, text }) => writeFile(join(folder, `${path}.md`), text)));
  const ended = Bun.spawnSync({
    cmd: [vale, "--no-global", `--config=${config}`, "--output=JSON", "--no-exit", "."],
    cwd: folder,
  });
  if (ended.exitCode !== 0) throw new Error(`run Vale: ${ended.stderr}${ended.stdout}`);
  return readReport(ended.stdout.toString());
}

/** Vale's JSON: an array of alerts for each path. */
interface Report {
  readonly [path: string]: readonly {
    readonly Check: string;
    readonly Line: number;
    readonly Message: string;
  }[];
}

function readReport(json: string): readonly Finding[] {
  const report: Report = JSON.parse(json);
  return Object.entries(report).flatMap(([path, alerts]) =>
    alerts.map(({ Check, Line, Message }) => ({
      path: path.replace(/\.md$/, ""),
      line: Line,
      rule: Check.replace(/^svc\./, ""),
      message: Message,
    })),
  );
}
