/** Gives the lines of a stream one by one, then the rest, then nothing. */
export function linesOf(stream: ReadableStream<Uint8Array>): () => Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  return async () => {
    for (;;) {
      const end = rest.indexOf("\n");
      if (end >= 0) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 1);
        return line;
      }
      const { done, value } = await reader.read();
      if (done) return rest;
      rest += decoder.decode(value, { stream: true });
    }
  };
}
