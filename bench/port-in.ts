/** The line in which a wrapper with a JSON log says where its health server listens. */
export const HEALTH_PORT = /"health server listens".*"port":(\d+)/;

/** Reads a process's output until it names a port. The stream stays open: the output goes on. */
export async function portIn(stream: ReadableStream<Uint8Array>, pattern: RegExp): Promise<number> {
  const reader = stream.getReader();
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    text += new TextDecoder().decode(value);
    const port = pattern.exec(text)?.[1];
    if (port !== undefined) return Number(port);
    if (done) throw new Error(`bench: no port: ${text}`);
  }
}
