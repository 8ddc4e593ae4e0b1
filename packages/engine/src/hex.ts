// Uint8Array to and from hexadecimal digits, ECMAScript 2026, which the engine has not got.

function fromHex(digits: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) throw new SyntaxError("not hexadecimal digits");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toHex(this: Uint8Array): string {
  return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

Object.defineProperty(Uint8Array, "fromHex", { value: fromHex });
Object.defineProperty(Uint8Array.prototype, "toHex", { value: toHex });
