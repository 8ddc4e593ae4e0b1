/** A client of a Service, which asks again and again. */
export interface ServiceClient {
  /** Ends it, and gives how many requests were answered, and why others were not. */
  readonly stop: () => Promise<{ readonly answers: number; readonly failures: readonly string[] }>;
}

const [EVERY_MS, TIMEOUT_MS] = [20, 10_000];

/** Asks fifty times a second, by a connection for each request. */
export function serviceClient(url: string): ServiceClient {
  const failures: string[] = [];
  let answers = 0;
  let isStopped = false;
  const asked = new Set<Promise<void>>();
  const ask = async (): Promise<void> => {
    try {
      const headers = { Connection: "close" };
      const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
      await response.text();
      if (response.ok) answers += 1;
      else failures.push(`HTTP ${response.status}`);
    } catch (error) {
      failures.push(error instanceof Error ? error.message : "it failed");
    }
  };
  const asking = (async () => {
    while (!isStopped) {
      const one = ask().finally(() => asked.delete(one));
      asked.add(one);
      await Bun.sleep(EVERY_MS);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await asking;
      await Promise.all(asked);
      return { answers, failures };
    },
  };
}
