/** How often it is said that the compiler goes on. */
const FILES_OF_A_LINE = 500;
/** The compiler's last lines, which help to find the cause. */
const LAST_WORDS = 4000;

/**
 * Runs the command, which prints a line for each file that it compiles, and tells how many there
 * were. Throws TypeError.
 */
export async function compileKernel(
  command: readonly string[],
  say: (line: string) => void,
): Promise<void> {
  const compiler = Bun.spawn([...command], { stdio: ["ignore", "pipe", "pipe"] });
  const complaints = compiler.stderr.text();
  const decoder = new TextDecoder();
  let [files, words] = [0, ""];
  for await (const chunk of compiler.stdout) {
    const text = decoder.decode(chunk, { stream: true });
    words = (words + text).slice(-LAST_WORDS);
    const before = files;
    files += text.split("\n").length - 1;
    if (Math.floor(files / FILES_OF_A_LINE) > Math.floor(before / FILES_OF_A_LINE)) {
      say(`${files} files`);
    }
  }
  if ((await compiler.exited) === 0) return;
  throw new TypeError(`compile the kernel: ${words}\n${await complaints}`);
}
