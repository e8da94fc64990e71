import type { Scene } from '@memtree/client';

/**
 * The part of a Playwright page that is used here. It has no actions, so code that uses it cannot act on a
 * page.
 */
export interface Page {
  url(): string;
  locator?(selector: string): Elements;
  getByRole?(role: any, options: { name: RegExp }): Elements;
  getByLabel?(text: string): Elements;
  getByPlaceholder?(text: string): Elements;
  getByText?(text: RegExp): Elements;
}

/** The part of a Playwright locator that is used here, for reading. */
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

/** Limits of an observation: characters, and lines of a snapshot. */
const mostSeen = 200_000;
const mostLines = 3_900;

/** Returns the route of a page: its path without host, query and fragment. */
export function routeOf(page: Page | undefined): Scene | undefined {
  try {
    const route = page && new URL(page.url()).pathname;
    return route ? { route } : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the ARIA snapshot of a page; undefined if it is not available in time. */
export async function look(page: Page | undefined, timeout: number): Promise<string | undefined> {
  const seen = await inTime(() => page?.locator?.('body').ariaSnapshot?.({ timeout }), timeout);
  return seen === undefined ? undefined : cut(seen);
}

/** Shortens a snapshot by whole lines. A last line marks the cut. */
function cut(seen: string): string {
  const lines = seen.split('\n');
  if (seen.length <= mostSeen && lines.length <= mostLines) {
    return seen;
  }
  const kept = lines.slice(0, mostLines).join('\n').slice(0, mostSeen);
  return `${kept.slice(0, kept.lastIndexOf('\n') + 1)}…`;
}

/**
 * Waits for a reading of a page, for at most `timeout` milliseconds. It returns undefined for a page that is
 * closing, that hangs, or that is not of Playwright.
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
    asked?.catch(() => {}); // it may fail after the time limit
    return await Promise.race([asked, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
