package main

// chineseEvolution returns in Chinese, by their English, the sentences of the
// commands with which the tree learns and forgets.
func chineseEvolution() map[string]string {
	return map[string]string{
		"%d experiences of one error type":                             "同一错误类型的 %d 条经验",
		"%d cases missed the same check":                               "%d 个案例漏掉了同一项检查",
		"Back in use, because the mistake was made again: %s":          "因再次误判而恢复使用：%s",
		"cases back in use, because their mistake was made again: %d":  "因再次误判而恢复使用的案例：%d",
		"%d cases of %d tests: %s":                                     "%d 个案例（来自 %d 个测试）：%s",
		"Drafts refused before: %d; memtree show --rejected says why.": "此前未通过的草稿：%d；memtree show --rejected 说明原因。",
		"%d cases; the draft was refused, see memtree show --rejected": "%d 个案例；草稿未通过，见 memtree show --rejected",
		`Groups the cases by their cause and writes what each group has in common as an experience, and what experiences of one error type have in common as a strategy. With a model configured it writes; without one, rules do. Every draft has to pass the same gates; one that does not is kept with the reason, and its cases stay in use. Then what the tree can do without is archived, see memtree prune.

Running it again with nothing new changes nothing and asks no model. Interrupted, it goes on where it stopped.`: `按原因把案例分组，把每组的共同点写成经验，把同一错误类型的经验写成策略。配置了模型就由模型书写，否则由规则书写。每份草稿都要通过同样的关卡；未通过的连同原因保留，其案例继续使用。之后归档记忆树用不着的内容，见 memtree prune。

没有新内容时再次运行不会改变任何内容，也不会询问模型。中断后从停下的地方继续。`,
		"leave new lessons for memtree review instead of using them": "新经验先不使用，留待 memtree review 审阅",
		"spend at most so much on the model, by --price":             "模型花费的上限，按 --price 计算",
		"what a million tokens cost, IN,OUT (or MEMTREE_LLM_PRICE)":  "每百万词元的价格：输入,输出（也可用 MEMTREE_LLM_PRICE）",
		"archive nothing":                          "不归档任何内容",
		"--max-cost is %g; give what may be spent": "--max-cost 是 %g；请给出可花费的数额",
		"--max-cost needs to know what tokens cost; give --price IN,OUT, such as 0.15,0.60 for a million":                                                    "--max-cost 需要知道词元的价格；请给出 --price 输入,输出，例如每百万 0.15,0.60",
		"the price is %q; give what a million tokens read and written cost, such as 0.15,0.60":                                                               "价格是 %q；请给出每百万输入和输出词元的价格，例如 0.15,0.60",
		"interrupted after %d of %d error types and directions; what was done is kept, and so are the model's answers; give the same command again to go on": "完成 %d 个（共 %d 个）错误类型与方向后中断；已完成的和模型的回答都已保留；再次运行同样的命令即可继续",
		"groups %d, jobs %d, calls %d, tokens %d": "组 %d，任务 %d，调用 %d，词元 %d",
		", cost %.4f":            "，花费 %.4f",
		"Cost: %.4f.":            "花费：%.4f。",
		"The tree is as it was.": "记忆树没有变化。",
		"lessons trusted more or less, or no longer on probation: %d":         "可信度改变或通过试用的经验：%d",
		"archived: %d (memtree show ID says why)":                             "已归档：%d（memtree show 编号 说明原因）",
		"Lessons that wait for your word: %d; read them with memtree review.": "%d 条经验等待你的意见；用 memtree review 阅读。",
		"no draft": "没有草稿",
		"Archive what the tree can do without, each with its reason": "归档记忆树用不着的内容，每条都有原因",
		`Takes memories out of use in this order: what was found to do harm, what has been replaced for 30 days, cases that were seen once 90 days ago, are little trusted, stand behind no lesson and were given to none of the 20 queries or more that they could have served, lessons with fewer than two cases left, and beyond the budget lessons whose cases others cover. No case goes for its age or for how many there are.

Archived memories stay in the store with their evidence and their reason, and a case whose mistake is made again comes back into use. memtree evolve does this too; memtree evolve --dry-run says beforehand how many would go.`: `按以下顺序把记忆移出使用：被发现有害的；已被取代 30 天的；90 天前只出现过一次、可信度低、不支撑任何经验、并且在至少 20 次本可用到它的查询中一次也没有用到的案例；剩余案例不足两个的经验；以及超出预算、其案例已被其他经验覆盖的经验。没有案例会仅因为时间久或数量多而被移出。

归档的记忆连同证据和原因仍保存在库中；同样的错误再次出现时，案例会重新启用。memtree evolve 也会做这件事；memtree evolve --dry-run 会事先给出数量。`,
		"a budget is a number of memories, 1 or more":                      "预算是记忆的数量，至少为 1",
		"print what would be archived and why, write nothing":              "只显示将归档的内容和原因，不写入",
		"experiences of an error type and direction that stay in use (30)": "每种错误类型和方向保留使用的经验数（30）",
		"Nothing to archive.": "没有需要归档的内容。",
		"Archived: %d. They stay in the store with their evidence.": "已归档：%d。它们连同证据留在库中。",
		"This would be archived (nothing was written): %d":          "将会归档（没有写入）：%d",
		"harmful":                        "有害",
		"replaced or out of use":         "已被取代或停用",
		"unused and unconfirmed":         "未使用且未再现",
		"too few cases left":             "剩余案例太少",
		"over budget, covered by others": "超出预算，已被其他记忆覆盖",
		"Read the lessons that wait for a person, accept or reject them": "阅读等待人工审阅的经验，接受或拒绝",
		`Prints the lessons that memtree evolve --review wrote: what each says, which cases stand behind it, and what it would replace. An accepted one goes into the tree at once. A rejected one is kept with your reason (memtree show --rejected) and is not written again until its cases change. The beginning of a key is enough.

Without a word on it a lesson waits; its cases stay in use. memtree evolve without --review takes all that waits.`: `输出 memtree evolve --review 写出的经验：内容、依据的案例、将取代什么。接受的立即进入记忆树。拒绝的连同你的理由保留（memtree show --rejected），在其案例改变之前不会再写。只需给出键的开头。

没有意见的经验继续等待，其案例继续使用。不带 --review 的 memtree evolve 会采用全部等待中的经验。`,
		"say why with --why: a rejection is kept with its reason":                                     "请用 --why 说明原因：拒绝会连同原因保留",
		"accept the lesson with this key, or all; may be given again":                                 "接受该键的经验，或 all；可多次给出",
		"reject the lesson with this key, or all; may be given again":                                 "拒绝该键的经验，或 all；可多次给出",
		"why it is rejected, a sentence":                                                              "拒绝的原因，一句话",
		"no lesson that waits has a key that begins with %s; memtree review lists them":               "没有等待中的经验的键以 %s 开头；用 memtree review 查看",
		"several keys begin with %s: %s; give more of it":                                             "多个键以 %s 开头：%s；请多给几位",
		"No lesson waits. memtree evolve --review writes some when there are enough cases.":           "没有等待中的经验。案例足够时 memtree evolve --review 会写出。",
		"Lessons that wait for your word: %d":                                                         "等待你意见的经验：%d",
		"%d cases of %d tests missed the same check":                                                  "%d 个案例（来自 %d 个测试）漏掉了同一项检查",
		"would replace what %s says now: %s":                                                          "将取代 %s 现在的内容：%s",
		"Next: memtree review --accept KEY, or --reject KEY --why \"...\"; all stands for every key.": "下一步：memtree review --accept 键，或 --reject 键 --why \"...\"；all 表示全部。",
		"New experiences: %d, new strategies: %d, written anew: %d. Rejected: %d.":                    "已进入记忆树：新经验 %d，新策略 %d，重写 %d。拒绝：%d。",
		"Prints a memory with its evidence. The beginning of an id is enough where no other begins like it. With --rejected it prints the lessons that were written and refused, and why.": "输出一条记忆及其证据。编号的开头只要不与别的相同就够了。加 --rejected 则输出写出后被拒绝的经验及原因。",
		"the lessons that a gate or a person refused, with the reasons": "关卡或人拒绝的经验及原因",
		"No lesson was refused.":                                  "没有被拒绝的经验。",
		"Lessons that were refused: %d. Their cases stay in use.": "被拒绝的经验：%d。其案例继续使用。",
		"written by a model":                                      "由模型书写",
		"written by rules":                                        "由规则书写",
		"refused by a person":                                     "被人拒绝",
	}
}
