package gate

// The words here are closed classes of two languages and the vocabulary that all
// testing shares. Nothing in them is about one kind of mistake.

// functionEN are the function words of English: determiners, pronouns,
// prepositions, conjunctions, auxiliaries, and the adverbs that join or measure.
// Source: the closed classes of Quirk et al., "A Comprehensive Grammar of the
// English Language" (1985), 2.34.
const functionEN = `a an the this that these those each every any all some no none both either neither another other
others such same own
i you he she it we they me him her us them my your his its our their mine yours hers ours theirs itself themselves
yourself oneself one ones
who whom whose which what when where why how whether whatever whichever whenever wherever
of to in on at by for with from into onto over under above below between among through during before after since until
till against about
around across along behind beside besides beyond near off out up down upon within without toward towards via per than
as like unlike despite except inside outside
and or but nor so yet if unless because although though while whereas once lest
am is are was were be been being has have had having do does did doing done will would shall should can could may
might must cannot
not never ever also too only just even still already again then there here now else instead rather quite very more
most less least much many few several enough
something anything nothing everything someone anyone nobody somewhere anywhere everywhere nowhere first last next`

// plainEN are words that all testing shares: what is tested and judged, the acts
// of looking and judging, and exhortations. Sources: the ISTQB glossary (test,
// case, step, expected result, defect …), the texts of the taxonomy, and the
// stop list of evolution.
const plainEN = `agent assistant tester user test tests testing tested task tasks case cases scenario scenarios suite
run runs running execution execute executed executing
page pages screen screens screenshot screenshots snapshot interface ui gui website site app application product system
feature features function functions functional functionality functionally module modules area areas
element elements item items component components content contents part parts aspect aspects thing things detail
details information data aspects situation situations circumstances circumstance
judge judges judged judging judgement judgements judgment judgments verdict verdicts conclude concludes conclusion
conclusions decide decision decisions result results outcome outcomes report reports reported reporting answer answers
pass passes passed passing fail fails failed failing failure failures defect defects bug bugs issue issues problem
problems error errors mistake mistakes fault faults
check checks checked checking verify verifies verified verifying verification validate validation ensure ensures
ensuring sure make makes making confirm confirms confirmed confirming inspect inspected inspection examine examined
examining review reviewed reviewing assess assessed assessing evaluate evaluated evaluation look looks looked looking
find finds found compare compares compared comparing comparison twice focus effort slowly see sees seen watch observe
observed observing observation consider considered note notice test
correct correctly correctness right rightly wrong wrongly true false accurate accurately accuracy proper properly
appropriate appropriately good well better best quality bad normal normally fine ok okay perfect
careful carefully careless care thorough thoroughly thoroughness attentive attention attentively pay cautious
cautiously caution diligent diligently diligence meticulous meticulously precise precisely rigorous rigorously closely
deeply deeper fully full complete completely completed completeness comprehensive comprehensively conscientious
patient patiently double doublecheck vigilant mindful
work works working worked behave behaves behaviour behavior expected expect expects expectation expectations intended
intend specified specification specifications requirement requirements required require requires need needs needed
necessary meet meets met conform accordance according comply
important importance relevant relevance specific specifically general generally various different overall whole entire
certain particular possible possibly always
avoid avoids avoided prevent remember keep mind try trying take taking give given giving use using used do doing done
get think thinking understand understanding know knowing knowledge read reading
quick quickly hasty hastily rush rushing rushed assume assumes assumed assuming assumption assumptions miss missed
misses missing overlook overlooked overlooking omit omitted
evidence basis based fact facts reality actual actually real really indeed everything anything something
step steps action actions process procedure procedures operation operations perform performs performed performing
follow follows followed following
show shows shown showing display displays displayed displaying visible appear appears present exist exists available
state states status condition conditions point points way ways kind kinds type types time times case end start begin
beginning
name names named new old second third two three single multiple
practice practices standard standards principle principles approach method methods strategy
hint advice tip please simply aware objective objectively logic logical sense common wise wisely smart experience
professional reliable reliably trustworthy final`

// functionZH are function words of Chinese that are safe to find without knowing
// where words end.
const functionZH = `的 了 是 在 把 被 就 才 与 和 或 及 而 也 都 还 又 再 不 没 很 更 最 若 如果 因为 所以 但 但是 并 并且 而且 或者 以及 以 为 从 到 对 向 由 按 按照 ` +
	`根据 通过 用 于 给 让 使 要 应 应该 应当 可以 能 能够 会 需 需要 必须 不要 不能 不是 没有 有没有 是不是 是否 有 着 过 得 地 吗 呢 之 之前 之后 以后 以前 后 前 时 时候 当 先 然后 接着 ` +
	`最后 直到 一直 已 已经 正在 仍 仍然 只 只有 只要 只是 仅 每 每个 每一个 每条 各 各个 所有 全部 一个 几个 这 那 这个 那个 这些 那些 这里 那里 其 其他 其它 它 它们 自己 他 她 我 你 您 ` +
	`什么 哪 哪个 哪些 谁 怎么 怎样 如何 多少 几 等等 即 则 却 便 比 跟 同 除 除了 即使 虽然 无论 不管 凡 凡是 另 另外 再次 里 第一 至少 最多 一次 一遍 一样 这样 那样`

// wholeZH are words that begin with a function word and are none.
const wholeZH = `按钮 按键 按下 对话 对比 对象 对账 会员 会话 会议 时间 时区 时长 时刻 时差 后台 后缀 后端 前台 前缀 前端 同步 同名 同类 从属 能力 给定 先后 过期 过滤 过渡 得分 着色 ` +
	`不可 不可用 不同 不一致 再生 用途 用量 为空 向导 由来 应付 应收 应用名 要点 要素 等待 等级 等号 其中 上下 用词 用语 中断 到期 到底 到达 在线 在途 与否 没收 和谐 让利 使命 需求量 按序 按位 ` +
	`通过率 之和 把手 被测 已读 未读 已选 已办 当日 当月 当天 当期 跟踪 比例 比价 比率 比重 最大 最小 最长 最短 最新 最高 最低 另存 另一 同一 即时 即将 另起 则数 除外 除以 除数 仅限 几条 能否`

// plainZH is plainEN in Chinese.
const plainZH = `智能体 代理 测试员 用户 测试用例 测试点 测试 用例 任务 场景 套件 执行 运行 页面 界面 屏幕 截图 快照 网站 应用 产品 系统 功能点 功能 模块 区域 元素 控件 组件 内容 部分 方面
细节 信息 数据 情况 实际情况 具体情况 情形
判断 判定 判 裁决 结论 结果 报告 上报 回答 答案 通过 失败 缺陷 漏洞 问题 错误 出错 失误 误判 漏判 误报 漏报 不通过
检查点 检查 验证 校验 核对 核实 核查 确认 确保 保证 查看 观察 审查 审视 评估 评判 评价 考虑 关注 注意 留意 看清 看
正确 准确 正常 合理 合适 恰当 妥当 无误 符合 满足 达到 质量 到位 良好 对错 真实 客观 公正 全面 全方位 整体 综合 系统性 完整 完善 充分 彻底 深入 严谨 严格 严肃 认真 仔细 细致 细心 耐心 谨慎 小心 慎重
用心 专注 负责 认真负责 一丝不苟 马虎 粗心 大意 草率 匆忙 遗漏 忽略 疏忽 漏掉 避免 防止 避开 减少 提高 提升 加强 保持 做到 做好
需求 要求 预期 期望 规范 标准 规定 说明 依据 证据 事实 实际 情理 逻辑 常识 经验 结合 分析 思考 理解 了解 掌握 阅读 明确 清楚 清晰 具体 相关 重要 关键 必要 有关 对应 相应 各种 各类 各项 各个 各方面
每项 每一项 每个 逐项 逐一 多个 多次 多角度 所有 全部 任何 一切 一定 务必 尽量 尽可能 始终 时刻 牢记 记住 切记 请 应 可能 是否 存在 出现 显示 展示 呈现 可见 状态 条件 步骤 操作 流程 过程 动作 进行
完成 开始 结束 过程中 时 使用 采用 方式 方法 类型 种类 名称 不够 不足 不确定 确定 遇到 给出 得出 下结论 做出 作出 再次 反复 重复 不要 没有`

// verbsEN are what a tester does and what a page does, beside the auxiliaries.
// A sentence without any of them is hardly one.
const verbsEN = `accept act add adjust agree answer appear apply ask assert belong bring build call cancel carry ` +
	`change check choose clear click close collect come compare complete compute confirm consider contain convert copy ` +
	`correspond count create decide delete derive determine differ distinguish do drag draw edit enter equal establish ` +
	`exercise expand expect explain exit fill filter find finish fit fix focus follow get give go hold hover identify ` +
	`inspect judge keep know last lead leave let list listen load locate look make mark match measure mean move name ` +
	`navigate need note notice observe open operate order pass paste perform pick place play point post press prove ` +
	`put quote read reach react reappear recalculate recompute record redo refer refresh refuse register reload remain ` +
	`remove rename reopen repeat replace report request require reset resize resolve respond restate restrict return ` +
	`reveal review round run save say scan scroll search see select send separate set settle show sign sort speak ` +
	`stand start stay step stop submit subtract sum switch tab take tally tell test toggle touch trace track treat ` +
	`trigger trust try turn type uncheck undo update upload use vary verify view visit wait walk want watch ` +
	`work write zoom`

// bareEN and bareZH are words of conditions that say no more than that something
// is tested.
const (
	bareEN = `agent assistant tester user test tests testing tested task tasks case cases run runs running execute ` +
		`executes executed executing execution perform performing page pages screen screens interface ui gui app apps ` +
		`application applications website websites site product system verdict verdicts judge judges judging judgement ` +
		`begin begins start starts give gives giving check checks checking verify verifying verification feature features ` +
		`function functions functionality software web browser result results content something quality assurance qa ` +
		`evaluate evaluating evaluation work working situation situations scenario scenarios general always usual`
	bareZH = `测试 用例 任务 执行 运行 进行 页面 界面 做 开始 判断 检查 验证 确认 应用 系统 产品 网站 网页 功能 智能体 结论 操作 内容 情况 场景 工作 过程 评估 评测 软件 质量 下结论 ` +
		`给出 结果 一般 通常 平时 日常`
)
