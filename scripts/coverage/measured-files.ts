import { Glob } from "bun";

/** Tests, their data, and generated messages, which have tests of their generator. */
const notMeasured = /(?:[.-]test\.ts|\.d\.ts|_pb\.ts)$|\/testdata\//;

/** The source files of packages, by their paths from the root, in order. */
export function measuredFiles(root: string, packages: readonly string[]): readonly string[] {
  return packages
    .flatMap((name) => [...new Glob(`packages/${name}/src/**/*.ts`).scanSync({ cwd: root })])
    .filter((path) => !notMeasured.test(path))
    .sort();
}
