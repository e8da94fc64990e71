// The table of the nights, and the bars that they missed.

const share = (n, of) => `${n} of ${of}`;
const plans = (name, a, b) =>
  name.padEnd(38) + (a ? share(a.hits, a.of) : '').padStart(14) + share(b.hits, b.of).padStart(13);
const points = (a) => (100 * a.hits) / a.of;

/**
 * The numbers of verdicts with facts of their page, and with advice only, by whether they were right before.
 */
function kinds(cases, told) {
  const kind = (t) => (!t.facts?.length ? 'advice' : t.items.length > 0 ? 'both' : 'facts');
  const by = new Map(told.map((t) => [t.prompt, kind(t)]));
  const row = (name, right) => {
    const of = cases.filter((c) => (c.first === c.truth.verdict) === right).map((c) => by.get(c.prompt) ?? 'nothing');
    return name.padEnd(28) + names.map((k) => String(of.filter((x) => x === k).length).padStart(10)).join('');
  };
  const names = ['facts', 'both', 'advice', 'nothing'];
  return [
    'What was told in night 2'.padEnd(28) + names.map((k) => k.padStart(10)).join(''),
    row('mistakes of night 1', false), row('right verdicts of night 1', true),
  ];
}

function looks(looked) {
  const ms = looked.map((l) => l.ms).sort((a, b) => a - b);
  const at = (q) => ms[Math.min(ms.length - 1, Math.floor(q * ms.length))];
  const sum = (key) => looked.reduce((n, l) => n + l[key], 0);
  return `${ms.length} looks at a page: ${sum('made')} readings, ${sum('decided')} decided; ` +
    `ms p50 ${at(0.5)}, p95 ${at(0.95)}, max ${ms.at(-1)}.`;
}

export function table(of) {
  const { cases, answers, labelled, held, without, withMemory, frozen, changed, told, looked } = of;
  const saidIn = (night) => new Map(answers.filter((a) => a.night === night).map((a) => [a.id, a]));
  const [one, two] = [saidIn('night-1'), saidIn('night-2')];
  const wrongIn = (night, verdict) =>
    cases.filter((c) => night.get(c.id)?.verdict === verdict && c.truth.verdict !== verdict);
  const row = (name, night) => [
    name, night.size, wrongIn(night, 'pass').length, wrongIn(night, 'fail').length,
    cases.filter((c) => night.get(c.id)?.told && c.first !== c.truth.verdict).length,
    cases.filter((c) => night.get(c.id)?.named && c.first !== c.truth.verdict).length,
    cases.filter((c) => night.get(c.id)?.told && c.first === c.truth.verdict).length,
  ];
  const rows = [
    ['', 'verdicts', 'false pass', 'false fail', 'told', 'warned', 'told for nothing'],
    row('night 1', one), row('night 2', two),
  ];
  const widths = rows[0].map((_, i) => Math.max(...rows.map((r) => String(r[i]).length)));
  const lines = rows.map((r) => r.map((v, i) => (i ? String(v).padStart(widths[i]) : v.padEnd(widths[i]))).join('  '));
  const route = new Map(cases.map((c) => [c.id, c.route]));
  const strayed = [...one.values(), ...two.values()].filter((a) => a.page !== route.get(a.id)).length;
  lines.push(
    '',
    `told: a mistake of night 1 whose prompt had guidance; warned: the guidance named the check or the thing.`,
    `Told for nothing: the verdict was right before. Held out by chance in night 2: ${held}.`,
    `People labelled ${labelled} verdicts between the nights. Pages the model took for another: ${strayed}.`,
    '',
    ...kinds(cases, told), looks(looked),
    '',
    'Plans that Midscene found again       without memory  with memory',
    plans('first night', without[0], withMemory[0]),
    plans('second night', without[1], withMemory[1]),
    plans('first night of a release with memory', undefined, withMemory[2]),
    plans('second night of it', undefined, withMemory[3]),
    `The release had guidance for ${frozen.filter(Boolean).length} of ${frozen.length} prompts.`,
    `A night later ${changed} of these texts would be others: so many plans would be lost if they were not frozen.`,
  );
  const wrong = [];
  const mistakes = (night) => wrongIn(night, 'pass').length + wrongIn(night, 'fail').length;
  if (one.size !== cases.length || two.size !== cases.length) wrong.push('a case was not judged');
  if (mistakes(two) >= mistakes(one)) wrong.push('night 2 made as many mistakes as night 1');
  for (const i of [1, 3]) {
    if (Math.abs(points(withMemory[i]) - points(without[1])) > 2) {
      wrong.push('with memory plans are found again more or less often, by more than 2 points');
    }
  }
  return { text: `${lines.join('\n')}\n`, wrong };
}
