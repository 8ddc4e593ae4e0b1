/**
 * The group of an address: an IPv4 address for itself, also if IPv6 carries it, an IPv6 address
 * for its /64, of which one machine can have every address. Pure.
 */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (!address.includes(":")) return address;
  const [head = "", tail = ""] = address.replace(/%.*$/, "").toLowerCase().split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === "" ? [] : tail.split(":");
  const zeroes = Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0");
  const words = [...left, ...zeroes, ...right];
  return `${words.slice(0, 4).map(withoutZeroes).join(":")}::/64`;
}

function withoutZeroes(word: string): string {
  return word.replace(/^0+(?=.)/, "");
}
