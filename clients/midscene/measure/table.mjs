// The table of the decided checks of each page, and the bars that it missed.
const share = (n, of) => `${n} of ${of} (${Math.round((100 * n) / of)} %)`;

/**
 * Returns which checks were decided, and which of them wrongly: a defect is on its page, and not on the
 * repaired one.
 */
function count(runs, of) {
  const right = { broken: 'broken', repaired: 'holds' };
  const all = runs.flatMap((r) => r[of].map((c) => ({ ...c, right: right[r.build], of: r })));
  const settled = all.filter((c) => c.state === 'holds' || c.state === 'broken');
  const pages = new Set(settled.map((c) => c.of)).size;
  return { all: all.length, settled: settled.length, pages, wrong: settled.filter((c) => c.state !== c.right) };
}

export function table(runs) {
  const [alone, both] = [count(runs, 'alone'), count(runs, 'both')];
  const ms = runs.map((r) => r.ms).sort((a, b) => a - b);
  const at = (q) => ms[Math.min(ms.length - 1, Math.floor(q * ms.length))];
  const row = (name, c) => [name, share(c.settled, c.all), share(c.pages, runs.length), String(c.wrong.length)];
  const rows = [
    ['', 'checks decided', 'pages with one', 'wrong'],
    row('by the snapshot alone', alone), row('with readings in the page', both),
  ];
  const widths = rows[0].map((_, i) => Math.max(...rows.map((r) => r[i].length)));
  const made = runs.reduce((sum, r) => sum + r.made, 0);
  const said = runs.reduce((sum, r) => sum + r.decided, 0);
  const text = [
    ...rows.map((r) => r.map((v, i) => (i ? v.padStart(widths[i]) : v.padEnd(widths[i]))).join('  ')), '',
    `${runs.length} pages, ${made} readings, ${said} of them decided.`,
    `Milliseconds a page: p50 ${at(0.5)}, p95 ${at(0.95)}, max ${ms.at(-1)}.`,
    `Facts told to the agent: ${runs.reduce((sum, r) => sum + r.facts.length, 0)}.`,
  ];
  const wrong = both.wrong.map((c) => `${c.of.id} ${c.of.build}: ${c.says} is said to be ${c.state}`);
  if (runs.length !== 68) wrong.push(`${runs.length} pages of 68 were looked at`);
  if (both.settled / both.all < 0.6) wrong.push('less than 60 % of the checks are decided');
  if (ms.at(-1) > 300) wrong.push('a page took more than 300 ms');
  return { text: `${text.join('\n')}\n`, wrong };
}
