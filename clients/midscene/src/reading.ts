import type { Check } from '@memtree/client';
import type { Elements, Page } from './page.js';

type Look = NonNullable<Check['look']>;
type Find = NonNullable<Look['find']>[number];

/** The result of one check on the current page, and the type of a field; undefined: it cannot be decided. */
export type Answer = 'holds' | 'broken' | `${'holds' | 'broken'} ${string}` | undefined;

const longestName = 200;
const mostFinds = 3;
/** If more elements have the name, the intended one is ambiguous. */
const mostFound = 4;

/**
 * Performs one reading. The values of a look are a closed list and data: a look with any other value is
 * skipped, none of it is run as code, and the page is only queried for the state of elements.
 */
export async function read(page: Page, look: Look, timeout: number): Promise<Answer> {
  const finds = look.find ?? [];
  if (finds.length === 0 || finds.length > mostFinds || !finds.every(known)) {
    return undefined;
  }
  const field = look.is === 'attribute' && look.attribute === 'type';
  const found = (await Promise.all(finds.map((f) => elements(locate(page, f, field))))).flat();
  return found.length > mostFound ? undefined : decide(look, found, timeout);
}

function known(f: Find): boolean {
  return typeof f?.name === 'string' && f.name.trim() !== '' && f.name.length <= longestName &&
    (f.by !== 'role' || typeof f.role === 'string');
}

/** Finds elements by their role, or by a text; fields only if they have a type. */
function locate(page: Page, f: Find, field: boolean): Elements | undefined {
  switch (f.by) {
    case 'role': return page.getByRole?.(f.role, { name: words(f.name) });
    case 'text': return page.getByText?.(words(f.name));
    case 'label': return only(page, page.getByLabel?.(f.name), field);
    case 'placeholder': return only(page, page.getByPlaceholder?.(f.name), field);
    default: return undefined;
  }
}

function only(page: Page, found: Elements | undefined, field: boolean): Elements | undefined {
  return field ? found?.and(page.locator?.('input')) : found;
}

async function elements(found: Elements | undefined): Promise<Elements[]> {
  const n = Math.min(await found?.count() ?? 0, mostFound + 1);
  return Array.from({ length: n }, (_, i) => found!.nth(i));
}

/** Returns a pattern for a text as whole words: no letter or digit precedes or follows it. */
function words(text: string): RegExp {
  const quoted = text.trim().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}])${quoted}(?![\\p{L}\\p{N}])`, 'iu');
}

/** Returns the result of an assertion. It is undecided if the element is absent, or if elements differ. */
async function decide(look: Look, found: Elements[], timeout: number): Promise<Answer> {
  const each = <T>(ask: (e: Elements) => Promise<T>) => Promise.all(found.map(ask));
  switch (look.is) {
    case 'attached': return found.length > 0 ? 'holds' : undefined;
    case 'visible': return (await each((e) => e.isVisible())).includes(true) ? 'holds' : undefined;
    case 'enabled': return agreed(await each((e) => e.isEnabled({ timeout })));
    case 'checked': return agreed(await each((e) => e.isChecked({ timeout })));
    case 'unchecked': return agreed(await each(async (e) => !await e.isChecked({ timeout })));
    case 'attribute': break;
    default: return undefined;
  }
  if (look.attribute === 'aria-selected') {
    const all = await each((e) => e.getAttribute('aria-selected', { timeout }));
    return all.every((v) => v === 'true' || v === 'false') ? agreed(all.map((v) => v === look.value)) : undefined;
  }
  return look.attribute === 'type' ? typed(look, await each((e) => e.getAttribute('type', { timeout }))) : undefined;
}

/** Decides by the types of fields. A field without one is of type text. */
function typed(look: Look, types: (string | null)[]): Answer {
  const all = types.map((t) => (t ?? 'text').toLowerCase());
  if (all.some((t) => t !== all[0] || !/^[a-z]{1,20}$/.test(t))) {
    return undefined;
  }
  const state = agreed(all.map((t) => (t === look.value) !== (look.not ?? false)));
  return state && `${state} ${all[0]}`;
}

/** Returns holds if all do, broken if none does. */
function agreed(states: boolean[]): 'holds' | 'broken' | undefined {
  if (states.length === 0 || states.some((s) => s !== states[0])) {
    return undefined;
  }
  return states[0] ? 'holds' : 'broken';
}
