// Prints its arguments, each as hex.
import { argumentVector } from "../src/index.ts";

const [, , ...words] = argumentVector();
process.stdout.write(JSON.stringify(words.map((word) => Buffer.from(word).toString("hex"))));
