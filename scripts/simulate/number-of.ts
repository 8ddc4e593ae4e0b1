/** Reads a whole number of the command line, or ends with 2. */
export function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== "" && Number.isSafeInteger(number) && number >= 0) return number;
  process.stderr.write(`simulate: ${name} must be a whole number: got ${JSON.stringify(text)}\n`);
  process.exit(2);
}
