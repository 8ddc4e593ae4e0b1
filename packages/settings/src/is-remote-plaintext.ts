/** True for an http address that is not this machine's: its data crosses a network unencrypted. */
export function isRemotePlaintext(address: string | undefined): boolean {
  if (address === undefined || !address.startsWith("http://")) return false;
  return !/^http:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]):/.test(address);
}
