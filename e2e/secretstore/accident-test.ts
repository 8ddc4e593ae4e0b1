import type { Cluster } from "./cluster.ts";

/** Declares a test that has the one API server of its file. */
export type AccidentTest = (title: string, act: (cluster: Cluster) => Promise<void>) => void;
