import { MemtreeError } from './error.js';

const MiB = 1 << 20;

/** The longest body of a route in bytes, as the specification has it; 1 MiB for the other routes. */
const longest: Record<string, number> = {
  '/v1/trees/{tree}/briefs': 16 * MiB,
  '/v1/trees/{tree}/checks': 4 * MiB,
  '/v1/trees/{tree}/context': 4 * MiB,
  '/v1/trees/{tree}/evaluations': 16 * MiB,
  '/v1/trees/{tree}/explain': 4 * MiB,
  '/v1/trees/{tree}/guidance': 4 * MiB,
  '/v1/trees/{tree}/import': 256 * MiB,
  '/v1/trees/{tree}/lessons': 4 * MiB,
  '/v1/trees/{tree}/map': 4 * MiB,
  '/v1/trees/{tree}/mcp': 8 * MiB,
  '/v1/trees/{tree}/relabel': 4 * MiB,
  '/v1/trees/{tree}/risk': 4 * MiB,
  '/v1/trees/{tree}/runs/{id}': 4 * MiB,
};

/** The longest body of a route in bytes. */
export const longestBody = (route: string): number => longest[route] ?? MiB;

/** The route of `record`, and how long one record may be: its request has two brackets around it. */
export const recordRoute = '/v1/trees/{tree}/evaluations';
export const longestRecord = longestBody(recordRoute) - 2;

/**
 * Throws a MemtreeError with the code `too-large` and the status 413 if a text has more bytes than `most`. Nothing
 * is sent then: a service that refuses a long body closes the connection, which looks as if it were unreachable.
 */
export function checkLength(what: string, text: string, most: number): void {
  if (text.length * 3 <= most) { // no character has more bytes
    return;
  }
  const bytes = lengthOf(text);
  if (bytes > most) {
    const said = `${what} has ${bytes} bytes, and memtree takes ${most} at most; nothing was sent: `
      + 'shorten it, or send it in parts';
    throw new MemtreeError('too-large', said, { status: 413 });
  }
}

/** Returns the number of bytes of a text in UTF-8. */
function lengthOf(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c > 0x7f) {
      bytes += c > 0x7ff && (c < 0xd800 || c > 0xdfff) ? 2 : 1; // half of a pair has two of four bytes
    }
  }
  return bytes;
}
