/** The network of an address: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 4291). */
export function networkOf(address: string): string {
  const end = address.slice(address.lastIndexOf(':') + 1);
  if (end.includes('.')) return end; // IPv4, or IPv4 mapped to IPv6
  const groupsOf = (text: string) => (text === '' ? [] : text.split(':'));
  const [before = '', after] = (address.split('%', 1)[0] ?? '').split('::');
  const [first, last] = [groupsOf(before), groupsOf(after ?? '')];
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  return [...first, ...zeros, ...last].slice(0, 4).join(':');
}
