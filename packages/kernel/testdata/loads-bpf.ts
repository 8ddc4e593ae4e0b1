import { BpfObject } from "../src/bpf/bpf-object.ts";
import { UnsupportedFeatureError } from "../src/libc/unsupported-feature-error.ts";

// Prints the result without libbpf.
try {
  BpfObject.load(new Uint8Array(64), { programs: [] });
} catch (error) {
  const isTyped = error instanceof UnsupportedFeatureError;
  process.stdout.write(isTyped ? error.message : `${error}`);
}
