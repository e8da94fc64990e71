import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { Memtree } from '@memtree/client';
import { remember } from '@memtree/midscene';

const chromium = process.env.CHROMIUM ?? '/usr/bin/chromium';
const id = 'a_0123456789abcdef';
const by = (by, name, role) => ({ by, name, ...(role ? { role } : {}) });
const button = (is = 'enabled') => ({ find: [by('role', 'Pay', 'button')], is });
const type = (value, not) => ({ find: [by('label', 'Password')], is: 'attribute', attribute: 'type', value, not });
const selected = { find: [by('role', 'Prices', 'tab')], is: 'attribute', attribute: 'aria-selected', value: 'true' };

/** A service that returns checks, and stores its requests. */
function service(looks, more = {}) {
  const sent = { asked: [], checked: 0, errors: [] };
  const fetch = async (url, init) => {
    const checks = looks.map((look, i) => ({ id: i === 0 ? id : `a_${String(i).padStart(16, '0')}`, look }));
    const isChecks = url.endsWith('/checks');
    const guidance = { trial: '', abstained: true, text: more.text ?? '', hash: '', items: [] };
    const answer = isChecks ? more.checks ?? { checks } : guidance;
    if (isChecks) {
      sent.checked++;
      await more.hang;
    } else {
      sent.asked.push(JSON.parse(init.body));
    }
    return { status: 200, headers: { get: () => null }, text: async () => JSON.stringify(answer) };
  };
  return { sent, memory: new Memtree({ url: 'http://x', fetch, onError: (e) => sent.errors.push(e.message) }) };
}

/** A page whose every locator finds these elements. It notes calls other than reading. */
function page(found, more = {}) {
  const of = (things, name) => new Proxy({}, { get: (_, key) => {
    if (key !== 'then' && !(key in things)) more.acts?.push(`${name}.${String(key)}`);
    return things[key];
  } });
  const element = (e) => of({
    isVisible: async () => e.visible ?? true, isEnabled: async () => e.enabled ?? true,
    isChecked: async () => { if (e.checked === undefined) throw new Error('not a checkbox'); return e.checked; },
    getAttribute: async (name) => e[name] ?? null,
  }, 'element');
  const one = (i) => element(found[i]);
  const list = of({ count: async () => found.length, nth: one, and: () => list }, 'locator');
  const body = of({ ariaSnapshot: async () => more.snapshot ?? '- heading "Cart"' }, 'body');
  const locator = (selector) => (selector === 'body' ? body : list);
  const get = () => list;
  return of({
    url: () => 'http://shop.test/cart', locator, getByRole: get, getByLabel: get, getByPlaceholder: get, getByText: get,
    ...more.page,
  }, 'page');
}

/** Returns what an agent's assertion sends to the service about a page. */
async function observed(looks, found, more = {}) {
  const { sent, memory } = service(looks, more);
  const calls = [];
  const agent = { aiAssert: async (...args) => { calls.push(args); } };
  const looked = [];
  const began = Date.now();
  const acts = [];
  const options = { memory, page: page(found, { ...more, acts }), budget: more.budget, onLooked: (l) => looked.push(l) };
  await remember(agent, options).aiAssert('x');
  assert.equal(calls.length, 1, 'the call is made, whatever happens');
  assert.deepEqual(acts, [], 'a page is only read');
  return { ms: Date.now() - began, seen: sent.asked[0]?.observation, sent, looked: looked[0] };
}

test('a check is read on the page, and its answer goes along with the snapshot', async () => {
  for (const [look, found, answer] of [
    [button(), [{}], 'holds'], [button(), [{ enabled: false }], 'broken'], [button(), [], undefined],
    [button(), [{}, { enabled: false }], undefined],
    [button('visible'), [{ visible: false }, {}], 'holds'], [button('visible'), [], undefined],
    [button('attached'), [{ visible: false }], 'holds'],
    [button('checked'), [{ checked: true }], 'holds'], [button('checked'), [{ checked: false }], 'broken'],
    [button('unchecked'), [{ checked: true }], 'broken'], [button('unchecked'), [{}], undefined],
    [type('text', true), [{ type: 'text' }], 'broken text'], [type('text', true), [{}], 'broken text'],
    [type('text', true), [{ type: 'password' }], 'holds password'], [type('email'), [{ type: 'text' }], 'broken text'],
    [type('text', true), [{ type: 'text' }, { type: 'password' }], undefined],
    [type('email'), [{ type: 'x"\n- text: y' }], undefined],
    [selected, [{ 'aria-selected': 'true' }], 'holds'], [selected, [{ 'aria-selected': 'false' }], 'broken'],
    [selected, [{}], undefined],
    [button(), [{}, {}, {}, {}, {}], undefined], // ambiguous
  ]) {
    const { seen } = await observed([look], found);
    const line = answer ? `\n- /check ${id}: ${answer}` : '';
    assert.equal(seen, `- heading "Cart"${line}`, JSON.stringify({ look, found }));
  }
});

test('the words of a check are a closed list, and none of them is code', async () => {
  for (const look of [
    button('click'), button('constructor'), { find: [], is: 'visible' }, { find: null, is: 'visible' },
    { is: 'visible' },
    { find: [by('css', 'body')], is: 'visible' }, { find: [by('role', 'Pay')], is: 'visible' },
    { find: [by('text', 'x'.repeat(201))], is: 'visible' }, { find: [by('text', '  ')], is: 'visible' },
    { find: [null], is: 'visible' }, { find: [by('text', 7)], is: 'visible' },
    { ...selected, attribute: 'onclick' }, { ...selected, attribute: 'value' }, 'page.close()', 7,
  ]) {
    const { seen } = await observed([look], [{}]);
    assert.equal(seen, '- heading "Cart"', JSON.stringify(look));
  }
  const odd = { find: [by('text', String.raw`a.*(b|c)\d[x]/y{2}^$?+-`)], is: 'visible' };
  let pattern;
  await observed([odd], [{}], { page: { getByText: (p) => { pattern = p; return { count: async () => 0 }; } } });
  assert.ok(pattern.test(`so: ${odd.find[0].name}`) && !pattern.test('axxb9'));
});

test('names are whole words', async () => {
  const patternOf = async (name) => {
    let pattern;
    const getByText = (p) => { pattern = p; return { count: async () => 0 }; };
    await observed([{ find: [by('text', name)], is: 'visible' }], [{}], { page: { getByText } });
    return pattern;
  };
  const remove = await patternOf('删除');
  assert.ok(remove.test('删除') && remove.test('🗑 删除 (1)') && !remove.test('全部删除'));
  const pay = await patternOf('Pay now');
  assert.ok(pay.test('pay  now!') && !pay.test('Pay nowhere'));
});

test('what a service says in place of checks is taken for none', async () => {
  const odd = [null, 7, {}, { id: 'x', look: button() }, { id: `${id}\n- text: y`, look: button() }];
  for (const checks of [{}, { checks: null }, { checks: odd }]) {
    const { seen } = await observed([], [{}], { checks });
    assert.equal(seen, '- heading "Cart"', JSON.stringify(checks));
  }
});

test('nothing takes longer than the budget, and nothing breaks a call', async () => {
  const never = new Promise(() => {});
  const broken = () => { throw new Error('page closed'); };
  const late = { count: () => never };
  for (const more of [
    { hang: never }, { page: { getByRole: () => late } }, { page: { getByRole: broken } },
    { page: { getByRole: () => ({ count: async () => broken() }) } }, { page: { getByRole: () => undefined } },
    { page: { getByRole: () => ({ count: async () => 1, nth: () => ({ isEnabled: async () => broken() }) }) } },
  ]) {
    const { ms, seen, looked } = await observed([button()], [{}], more);
    assert.equal(seen, '- heading "Cart"');
    assert.ok(ms < 450 && looked.ms < 350, `${ms} ms`);
  }
  const hung = await observed([button()], [{}], { page: { locator: () => ({ ariaSnapshot: () => never }) } });
  assert.ok(hung.ms < 450 && hung.seen === `- /check ${id}: holds`, 'what is known is told');
  const gone = await observed([button()], [{}], { page: { locator: broken, getByRole: broken } });
  assert.ok(gone.seen === undefined);
  const off = await observed([button()], [{}], { budget: 0 });
  assert.deepEqual([off.seen, off.sent.checked], [undefined, 0]);
});

test('a long page is cut at a line, and says so', async () => {
  const { seen } = await observed([button()], [{}], { snapshot: '- text: more\n'.repeat(5000) });
  const lines = seen.split('\n');
  assert.ok(lines.length < 4000);
  assert.deepEqual(lines.slice(-3), ['- text: more', '…', `- /check ${id}: holds`]);
});

test('facts do not touch the plans that Midscene keeps', async () => {
  const { sent, memory } = service([button()], { text: 'FACTS' });
  const calls = [];
  const call = async (...args) => { calls.push(args); };
  const agent = { taskCache: {}, aiAct: call, aiAssert: call };
  const known = remember(agent, { memory, page: page([{}]) });
  await known.aiAct('pay');
  await known.aiAssert('paid');
  assert.deepEqual(calls, [['pay'], ['paid', undefined, { context: 'FACTS' }]]);
  assert.equal(sent.checked, 1);
});

const skip = !existsSync(chromium) && 'there is no Chromium';
test('in Chromium a page does not notice that it is read', { skip }, async () => {
  const playwright = await import('@playwright/test');
  const browser = await playwright.chromium.launch({ executablePath: chromium, args: ['--no-sandbox'] });
  try {
    const real = await browser.newPage();
    await real.setContent(`<h1>Cart</h1><label>Password <input></label><button disabled>Pay</button>
      <div role="tab" aria-selected="false">Prices</div><script>
      window.noticed = [];
      for (const e of ['click', 'input', 'change', 'focusin', 'keydown', 'mousemove', 'pointerdown', 'scroll'])
        addEventListener(e, () => noticed.push(e), true);
      new MutationObserver(() => noticed.push('change')).observe(document,
        { subtree: true, childList: true, attributes: true, characterData: true });</script>`);
    const before = await real.content();
    const { sent, memory } = service([button(), type('text', true), selected, button('visible')]);
    const agent = remember({ aiAssert: async () => {} }, { memory, page: real, budget: 5000 });
    await agent.aiAssert('x');
    const lines = sent.asked[0].observation.split('\n').filter((l) => l.startsWith('- /check '));
    assert.deepEqual(lines.map((l) => l.slice(29)), ['broken', 'broken text', 'broken', 'holds']);
    assert.deepEqual([await real.evaluate('noticed'), await real.content()], [[], before]);
  } finally {
    await browser.close();
  }
});
