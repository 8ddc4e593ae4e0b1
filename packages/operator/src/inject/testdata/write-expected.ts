/**
 * Writes the expected result of every golden pod: `bun
 * packages/operator/src/inject/testdata/write-expected.ts`. Read the
 * difference before it is committed: it shows the operator's future changes to such pods.
 */
import { writeFileSync } from "node:fs";
import { expectedText, goldenPods } from "./golden-pods.ts";

for (const golden of goldenPods()) writeFileSync(golden.expectedPath, expectedText(golden));
