/**
 * Sends reviews to a webhook: `bun bench/admission/send-reviews.ts URL BODY-FILE COUNT PACE`. PACE
 * is `16` for as many clients that each wait for their answer, or `1000/s` for a thousand requests
 * a second, with or without answers. Their times count from the moment at which they were due.
 * Prints one line of JSON. A separate process, as the API server is.
 */
import { argv, exit, stdout } from "node:process";

const [url = "", file = "", count = "1000", pace = "1"] = argv.slice(2);
const body = await Bun.file(file).bytes();
const total = Number(count);
const times = new Float64Array(total);
let failed = 0;

async function send(index: number, due: number): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json" },
    tls: { rejectUnauthorized: false },
  });
  const text = await response.text();
  if (!response.ok || !text.includes('"allowed":true')) failed += 1;
  times[index] = performance.now() - due;
}

async function byClients(clients: number): Promise<void> {
  let begun = 0;
  const client = async (): Promise<void> => {
    while (begun < total) await send(begun++, performance.now());
  };
  await Promise.all(Array.from({ length: clients }, client));
}

async function byClock(perSecond: number): Promise<void> {
  const began = performance.now();
  const sent: Promise<void>[] = [];
  while (sent.length < total) {
    // Those that are due by now; the API server does not ask in time with a clock, either.
    for (let index = sent.length; index < total; index += 1) {
      const due = began + (index * 1000) / perSecond;
      if (due > performance.now()) break;
      sent.push(send(index, due));
    }
    await Bun.sleep(1);
  }
  await Promise.all(sent);
}

const began = performance.now();
if (pace.endsWith("/s")) await byClock(Number.parseInt(pace, 10));
else await byClients(Number(pace));
const seconds = (performance.now() - began) / 1000;
times.sort();
const quantile = (part: number) => times[Math.floor(part * (total - 1))] ?? 0;
const result = { perSecond: total / seconds, p50: quantile(0.5), p99: quantile(0.99), failed };
stdout.write(`${JSON.stringify(result)}\n`);
exit(failed === 0 ? 0 : 1);
