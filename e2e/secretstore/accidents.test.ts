import { afterAll, beforeAll, test } from "bun:test";
import { expectNothingLeft } from "../harness/processes/leftovers.ts";
import type { AccidentTest } from "./accident-test.ts";
import { type Cluster, startCluster } from "./cluster.ts";
import { killedEncrypted } from "./killed-encrypted.ts";
import { killedRevocations } from "./killed-revocations.ts";
import { killedRuns } from "./killed-runs.ts";
import { lostConnections } from "./lost-connections.ts";
import { lostOutputs } from "./lost-outputs.ts";
import { stoppedRuns } from "./stopped-runs.ts";
import { inTurn } from "./turns.ts";
import { twoRuns } from "./two-runs.ts";

const TIMEOUT_MS = 240_000;
const started = new AsyncDisposableStack();
let cluster: Cluster;

beforeAll(async () => {
  cluster = started.use(await startCluster());
}, TIMEOUT_MS);
afterAll(() => started.disposeAsync());
expectNothingLeft();

/** All of them have one API server, and each a separate store. */
const accidentTest: AccidentTest = (title, act) =>
  test.concurrent(title, () => inTurn(() => act(cluster)), TIMEOUT_MS);

killedRuns(accidentTest);
killedRevocations(accidentTest);
killedEncrypted(accidentTest);
lostConnections(accidentTest);
stoppedRuns(accidentTest);
lostOutputs(accidentTest);
twoRuns(accidentTest);
