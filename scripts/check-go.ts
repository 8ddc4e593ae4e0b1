/**
 * Checks the Go library without running it: `bun scripts/check-go.ts`. Prints every finding, exits 1.
 * Its tests are steps of scripts/test.ts.
 */
import { join } from "node:path";
import { type Ended, goTool, runGo, runProgram } from "./go/go-command.ts";
import { goProblem } from "./go/go-release.ts";
import { moduleFindings } from "./go/module-findings.ts";

const root = join(import.meta.dirname, "..");
const library = { folder: join(root, "go"), env: { CGO_ENABLED: "0" } };

/**
 * Another word size, another byte order, other systems: the library has to compile there, too. The
 * example as well on the systems on which it is deployed and tried; elsewhere net/http for it would
 * take, from an empty cache, as long as all the rest.
 */
const targets = [
  { GOOS: "linux", GOARCH: "arm64", packages: "./..." },
  { GOOS: "darwin", GOARCH: "arm64", packages: "./..." },
  { GOOS: "linux", GOARCH: "386", packages: "." },
  { GOOS: "linux", GOARCH: "s390x", packages: "." },
  { GOOS: "windows", GOARCH: "amd64", packages: "." },
  { GOOS: "freebsd", GOARCH: "amd64", packages: "." },
] as const;

process.exit(check());

function check(): number {
  const problem = goProblem(root);
  if (problem !== undefined) {
    process.stderr.write(`check-go: ${problem}\n`);
    return 1;
  }
  const found = [
    ...formatting(),
    ...moduleFile(),
    ...complaints("go vet", runGo(["vet", "./..."], library)),
    ...staticAnalysis(),
    ...targets.flatMap(elsewhere),
  ];
  for (const line of found) process.stderr.write(`${line}\n`);
  return found.length === 0 ? 0 : 1;
}

function formatting(): readonly string[] {
  // Not from PATH: the one that belongs to the go that compiles.
  const { stdout: goRoot } = runGo(["env", "GOROOT"], library);
  const ended = runProgram([join(goRoot.trim(), "bin/gofmt"), "-l", "."], library);
  const names = ended.stdout.split("\n").filter((name) => name !== "");
  return [
    ...complaints("gofmt", ended),
    ...names.map((name) => `go/${name}: is not formatted: run make format`),
  ];
}

function moduleFile(): readonly string[] {
  const { stdout } = runGo(["mod", "edit", "-json"], library);
  return [
    ...moduleFindings(stdout).map((finding) => `go/go.mod: ${finding}`),
    ...complaints("go mod tidy -diff", runGo(["mod", "tidy", "-diff"], library)),
    ...complaints("go mod verify", runGo(["mod", "verify"], library)),
  ];
}

function staticAnalysis(): readonly string[] {
  const staticcheck = goTool(root, "staticcheck");
  // Once more as another system, for the files that Linux does not compile.
  return [{}, { GOOS: "darwin", GOARCH: "arm64" }].flatMap((system) => {
    const env = { ...library.env, ...system };
    return complaints("staticcheck", runProgram([staticcheck, "./..."], { ...library, env }));
  });
}

/** Compiles everything, tests included, for another target. */
function elsewhere({ GOOS, GOARCH, packages }: (typeof targets)[number]): readonly string[] {
  const env = { ...library.env, GOOS, GOARCH };
  const title = `go vet for ${GOOS}/${GOARCH}`;
  return complaints(title, runGo(["vet", packages], { ...library, env }));
}

function complaints(title: string, { exitCode, stdout, stderr }: Ended): readonly string[] {
  if (exitCode === 0) return [];
  return [`${title}: ended with ${exitCode}\n${stdout}${stderr}`.trimEnd()];
}
