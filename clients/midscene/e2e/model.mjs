// A scripted model behind an OpenAI-compatible address. It stands in for a model that is wrong in the same
// places every night unless guidance names the place. README.md describes what is scripted and what is not.
import { createServer } from 'node:http';
import { cases, pageWords, words } from './cases.mjs';

/**
 * The check that a line of guidance is about, and the terms by which a defect or a task is about that check.
 */
const checks = [
  [/自己算一遍/, /计算|小计|总价|统计|数量|×|百分|进度/],
  [/逐字比对/, /显示为|文字|标签|标题|名称|格式|提示/],
  [/实际操作一次|有没有反应/, /禁用|点击|可用|切换|无法/],
  [/默认的标签/, /默认|初始/],
  [/成对读出/, /反了|对应|不匹配/],
  [/type 属性/, /type|明文|密码/],
  [/从页头到页脚/, /缺少|返回首页|是否显示/],
  [/等加载/, /消失|加载|完成/],
  [/DOM 里查/, /链接|路径/],
  [/颜色|图标/, /颜色|图标|高亮|对比度/],
  [/顺序/, /顺序|排序/],
];

/** Reports whether guidance names the check, or a thing, that a case is about. */
export function names(guidance, about) {
  const things = [...guidance.matchAll(/“([^”]+)”/g)].map((m) => m[1]);
  return things.some((t) => about.includes(t)) || checks.some(([said, of]) => said.test(guidance) && of.test(about));
}

/** Finds the page of the benchmark that a description is of, by the tokens of both. */
function recognise(known, description) {
  const seen = words(description.replace(/<[^>]*>/g, ' '));
  let best;
  let most = -1;
  for (const [route, of] of known) {
    const both = [...of].filter((w) => seen.has(w)).length;
    const share = both / (of.size + seen.size - both);
    if (share > most) {
      most = share;
      best = route;
    }
  }
  return best;
}

export async function serveModel() {
  const all = cases();
  const known = pageWords();
  const model = { plans: [], answers: [], night: '', url: '', stop: () => server.close() };

  /**
   * The first look returns the earlier verdict of the small model; a second look finds the truth of the page.
   */
  const judge = (prompt) => {
    const c = all.find((one) => prompt.includes(one.prompt));
    const page = recognise(known, /<PageDescription>([^]*)<\/PageDescription>/.exec(prompt)[1]);
    const guidance = /<memory-context>[^]*?<\/memory-context>/.exec(prompt)?.[0] ?? '';
    const about = c.truth.defect_details.join('\n') || c.prompt;
    const named = guidance !== '' && names(guidance, about);
    const really = page === c.route ? c.truth.verdict : 'pass'; // the twin without the defects
    const verdict = named ? really : c.first;
    model.answers.push({ night: model.night, id: c.id, page, told: guidance !== '', named, verdict });
    const why = named ? 'I looked again where the notes say.' : 'At first sight.';
    return `<observation>${why}</observation>\n<data-json>{"StatementIsTruthy": ${verdict === 'pass'}}</data-json>`;
  };

  /** A plan scrolls to the end of the page, and ends. */
  const plan = (messages) => {
    if (messages.length > 3) {
      return '<planning>The page was seen.</planning>\n<complete success="true"></complete>';
    }
    const text = JSON.stringify(messages);
    model.plans.push({ night: model.night, id: all.find((c) => text.includes(c.prompt))?.id });
    const param = '{"direction": "down", "scrollType": "scrollToBottom"}';
    return `<planning>See all of it.</planning>\n<log>Scroll down</log>\n<action-type>Scroll</action-type>\n` +
      `<action-param-json>${param}</action-param-json>`;
  };

  const server = createServer((q, a) => {
    let body = '';
    q.setEncoding('utf8');
    q.on('data', (part) => { body += part; });
    q.on('end', () => {
      const { messages } = JSON.parse(body);
      const said = messages.slice(1).flatMap((m) => m.content).map((p) => p.text ?? p).join('\n');
      const content = messages[0].content.includes('<DATA_DEMAND>') ? judge(said) : plan(messages);
      a.setHeader('content-type', 'application/json');
      a.end(JSON.stringify({
        id: 'scripted', object: 'chat.completion', model: 'scripted',
        choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
        usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
      }));
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  model.url = `http://127.0.0.1:${server.address().port}/v1`;
  return model;
}
