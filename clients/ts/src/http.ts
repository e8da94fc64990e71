import { asError, MemtreeError } from './error.js';
import type { Problem } from './types.js';

/** The part of `fetch` that is used here; its types depend on no platform. */
export type FetchLike = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string; signal: any },
) => Promise<{ status: number; headers: { get(name: string): string | null }; text(): Promise<string> }>;

/** The address of requests. */
export interface Target {
  base: string; // without a slash at its end
  token: string | undefined;
  fetch: FetchLike;
}

/**
 * Sends one request and returns the JSON of the answer. It takes no longer than `deadline` milliseconds, even
 * if `fetch` ignores its signal.
 */
export async function send(
  to: Target, method: string, path: string, body: string | undefined, deadline: number,
): Promise<unknown> {
  const stop = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new MemtreeError('late', `memtree did not answer within ${deadline} ms`));
      setTimeout(() => stop.abort(), 0); // later: it takes time, and other runs may have waited as long
    }, deadline);
  });
  try {
    return await Promise.race([exchange(to, method, path, body, stop.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

async function exchange(
  to: Target, method: string, path: string, body: string | undefined, signal: AbortSignal,
): Promise<unknown> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
  }
  if (to.token) {
    headers['authorization'] = `Bearer ${to.token}`;
  }
  let status: number;
  let text: string;
  let retry: string | null;
  try {
    const init = { method, headers, signal };
    const answer = await to.fetch(to.base + path, body === undefined ? init : { ...init, body });
    status = answer.status;
    retry = answer.headers.get('retry-after');
    text = await answer.text();
  } catch (cause) {
    throw new MemtreeError('unreachable', `memtree at ${to.base} cannot be reached: ${reason(cause)}`, { cause });
  }
  const parsed = parse(text);
  if (status >= 200 && status < 300 && parsed !== undefined) {
    return parsed;
  }
  throw refusal(status, parsed, waitOf(retry));
}

/** Returns why a connection failed: `fetch` hides it in the cause. */
function reason(thrown: unknown): string {
  const e = thrown as { message?: string; cause?: { code?: string; message?: string } };
  return e?.cause?.code ?? (e?.cause?.message || e?.message || String(thrown));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refusal(status: number, parsed: unknown, retryAfter: number | undefined): MemtreeError {
  const p = parsed as Problem | null | undefined;
  if (typeof p?.type === 'string' && typeof p.detail === 'string') {
    const code = p.type.replace(/^urn:memtree:/, '');
    return new MemtreeError(code, p.detail, { status, retryAfter, problem: p });
  }
  const said = `what answered with status ${status} is not memtree; check the url of the client`;
  return new MemtreeError('answer', said, { status: status < 400 ? 0 : status, retryAfter });
}

/** Returns the value of Retry-After, seconds or a date, in milliseconds. */
export function waitOf(header: string | null, now = Date.now()): number | undefined {
  if (!header) {
    return undefined;
  }
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), 3_600_000) : undefined;
}

/** Calls the user's hook, and ignores what it throws. */
export function report(hook: ((e: MemtreeError) => void) | undefined, thrown: unknown): void {
  try {
    hook?.(asError(thrown));
  } catch {
    // a hook that fails must not fail the run
  }
}
