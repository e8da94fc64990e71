import type { Scene } from '@memtree/client';

/** The part of a Playwright page that is needed. */
export interface Page {
  url(): string;
  locator?(selector: string): { ariaSnapshot?(options?: { timeout?: number }): Promise<string> };
}

/** More than that of a page is not looked at. */
const mostSeen = 200_000;

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
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    const late = new Promise<undefined>((done) => {
      timer = setTimeout(done, timeout, undefined);
    });
    const seen = page?.locator?.('body').ariaSnapshot?.({ timeout });
    seen?.catch(() => {}); // it may fail after nobody waits for it any more
    return (await Promise.race([seen, late]))?.slice(0, mostSeen);
  } catch {
    return undefined; // a page that is closing, or none of Playwright
  } finally {
    clearTimeout(timer);
  }
}
