/**
 * Sends reviews to a webhook: `bun bench/admission/send-reviews.ts URL BODY-FILE COUNT CLIENTS`. Prints one line of JSON:
 * how many a second, and the quantiles of their times in milliseconds. A process of its own, as the API server is.
 */
import { argv, exit, stdout } from "node:process";

const [url = "", file = "", count = "1000", clients = "1"] = argv.slice(2);
const body = await Bun.file(file).bytes();
const total = Number(count);
const times = new Float64Array(total);
let begun = 0;
let failed = 0;

const send = async (): Promise<void> => {
  while (begun < total) {
    const index = begun++;
    const began = performance.now();
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json" },
      tls: { rejectUnauthorized: false },
    });
    const text = await response.text();
    if (!response.ok || !text.includes('"allowed":true')) failed += 1;
    times[index] = performance.now() - began;
  }
};

const began = performance.now();
await Promise.all(Array.from({ length: Number(clients) }, send));
const seconds = (performance.now() - began) / 1000;
times.sort();
const quantile = (part: number) => times[Math.floor(part * (total - 1))] ?? 0;
const result = { perSecond: total / seconds, p50: quantile(0.5), p99: quantile(0.99), failed };
stdout.write(`${JSON.stringify(result)}\n`);
exit(failed === 0 ? 0 : 1);
