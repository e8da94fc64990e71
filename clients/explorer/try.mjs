// Tries whether an element is found by what a user sees of it, and pressing it would reach it. Nothing is pressed.

/** Elements of a page that are tried at most. */
const mostTried = 80;

/** Quotes a name as a string of JavaScript. */
const quoted = (s) => `'${s.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replace(/\s+/g, ' ')}'`;

/** Returns the selector of Playwright for an element, as code. */
export function selectorOf({ role, name }, exact) {
  if (!name) return `page.getByRole(${quoted(role)})`;
  return `page.getByRole(${quoted(role)}, { name: ${quoted(name)}${exact ? ', exact: true' : ''} })`;
}

/** Returns the locator of an element. */
export function locate(page, { role, name }, exact) {
  return name ? page.getByRole(role, { name, exact }) : page.getByRole(role);
}

const does = (role) => (/^(?:textbox|searchbox|spinbutton)$/.test(role) ? 'fill' : role === 'combobox' ? 'selectOption' : 'click');

/** Reports whether a locator finds one element alone that a user can reach. */
async function reached(locator) {
  return locator.evaluateAll((list) => {
    if (list.length !== 1) return list.length;
    const [e] = list;
    if (e.disabled || e.readOnly || !e.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return 0;
    e.scrollIntoView({ block: 'center', inline: 'center' });
    const box = e.getBoundingClientRect();
    const at = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return at && (e.contains(at) || at.contains(e) || e.labels && [...e.labels].some((l) => l.contains(at))) ? 1 : 0;
  });
}

/** Tries the elements of a page by the shortest selector that finds each alone, and returns what came of it. */
export async function attempt(page, elements, links = new Map()) {
  const seen = [];
  const url = page.url();
  for (const e of elements.filter((x) => !x.place && x.role !== 'heading' && x.role !== 'option').slice(0, mostTried)) {
    const began = performance.now();
    let exact = false;
    let n = await reached(locate(page, e, false));
    if (n > 1 && e.name) {
      exact = true;
      n = await reached(locate(page, e, true));
    }
    if (n === 0) continue; // hidden or disabled: that says nothing on the selector
    const to = e.role === 'link' ? links.get(e.name) : undefined;
    seen.push({
      kind: 'action', url, do: does(e.role), role: e.role, name: e.name, selector: selectorOf(e, exact), failed: n !== 1,
      ms: Math.max(1, Math.round(performance.now() - began)), ...(to && n === 1 ? { to } : {}),
    });
  }
  return seen;
}
