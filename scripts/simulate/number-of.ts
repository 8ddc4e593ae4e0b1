/** Reads a whole number of the command line, of at least `least`, or ends with 2. */
export function numberOf(name: string, text: string, least = 0): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= least) return number;
  process.stderr.write(
    `simulate: ${name} must be a whole number from ${least} on: got ${JSON.stringify(text)}\n`,
  );
  process.exit(2);
}
