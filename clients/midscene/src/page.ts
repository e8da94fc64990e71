import type { Scene } from '@memtree/client';

/**
 * The part of a Playwright page that is needed. Nothing in it can act on a page, so nothing that is written
 * against it can.
 */
export interface Page {
  url(): string;
  locator?(selector: string): Elements;
  getByRole?(role: any, options: { name: RegExp }): Elements;
  getByLabel?(text: string): Elements;
  getByPlaceholder?(text: string): Elements;
  getByText?(text: RegExp): Elements;
}

/** The part of a Playwright locator that is needed: to read. */
export interface Elements {
  ariaSnapshot?(options?: Wait): Promise<string>;
  count(): Promise<number>;
  nth(index: number): Elements;
  and(other: any): Elements;
  isVisible(): Promise<boolean>;
  isEnabled(options?: Wait): Promise<boolean>;
  isChecked(options?: Wait): Promise<boolean>;
  getAttribute(name: string, options?: Wait): Promise<string | null>;
}

interface Wait {
  timeout?: number;
}

/** More than that of a page is not looked at: characters, and lines of its snapshot. */
const mostSeen = 200_000;
const mostLines = 3_900;

/** Where a page is: its path without host, query and fragment. */
export function routeOf(page: Page | undefined): Scene | undefined {
  try {
    const route = page && new URL(page.url()).pathname;
    return route ? { route } : undefined;
  } catch {
    return undefined;
  }
}

/** What can be seen on a page, as an ARIA snapshot; undefined if it cannot be said in time. */
export async function look(page: Page | undefined, timeout: number): Promise<string | undefined> {
  const seen = await inTime(() => page?.locator?.('body').ariaSnapshot?.({ timeout }), timeout);
  return seen === undefined ? undefined : cut(seen);
}

/** Shortens a snapshot by whole lines. A last line says that it goes on. */
function cut(seen: string): string {
  const lines = seen.split('\n');
  if (seen.length <= mostSeen && lines.length <= mostLines) {
    return seen;
  }
  const kept = lines.slice(0, mostLines).join('\n').slice(0, mostSeen);
  return `${kept.slice(0, kept.lastIndexOf('\n') + 1)}…`;
}

/**
 * Waits for something that is read of a page, at most for some milliseconds. Of a page that is closing, that
 * hangs, or that is none of Playwright, it is undefined.
 */
export async function inTime<T>(ask: () => Promise<T> | undefined, timeout: number): Promise<T | undefined> {
  if (timeout <= 0) {
    return undefined;
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const late = new Promise<undefined>((done) => {
      timer = setTimeout(done, timeout, undefined);
    });
    const asked = ask();
    asked?.catch(() => {}); // it may fail after nobody waits for it any more
    return await Promise.race([asked, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
