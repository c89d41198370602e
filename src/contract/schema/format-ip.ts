/** RFC 2673 section 3.2: four decimal numbers up to 255, without leading zeros. */
export function isIpv4(text: string): boolean {
  return /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split('.').every(isOctet);
}

const isOctet = (digits: string) => Number(digits) <= 255 && (digits === '0' || !digits.startsWith('0'));

/** The longest is `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const MAX_LENGTH = 45;

/** RFC 4291 section 2.2: eight groups; `::` replaces one or more groups of zeros, and an IPv4 address the last two. */
export function isIpv6(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  const halves = text.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  // Nothing follows `::` at the end.
  const embedded = halves.at(-1) !== '' && isIpv4(last);
  const hexadecimal = embedded ? groups.slice(0, -1) : groups;
  if (!hexadecimal.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false;
  const count = hexadecimal.length + (embedded ? 2 : 0);
  return halves.length === 1 ? count === 8 : halves.length === 2 && count <= 7;
}
