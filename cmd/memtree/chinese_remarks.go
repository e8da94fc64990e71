package main

// chineseRemarks returns in Chinese, by their English, what is said where there is
// nothing to show, and of a place in a suite.
func chineseRemarks() map[string]string {
	return map[string]string{
		"%s, first, before %s":       "%s（排在最前，其后是 %s）",
		"%s, last, after %s":         "%s（排在最后，其前是 %s）",
		"%s, after %s and before %s": "%s（其前是 %s，其后是 %s）",

		"No memory fits.": "没有合适的记忆。",
		"No memory fits: none that is in use here has anything to do with this.":                                                            "没有合适的记忆：此处在用的记忆都与此无关。",
		"No memory fits. The nearest is %s (%s, %s). Why it is left out: %s. `memtree explain` says more.":                                  "没有合适的记忆。最接近的是 %s（%s，%s），未给出的原因：%s。详见 `memtree explain`。",
		"Recorded and not looked at yet: %s. They are no memories so far; the next `memtree record` or `memtree evolve` goes on with them.": "已记录而尚未分析：%s。它们还不是记忆；下一次 `memtree record` 或 `memtree evolve` 会继续。",
		"No memories here yet.":                           "这里还没有记忆。",
		"No memory is of the kind that the flags choose.": "没有符合这些参数的记忆。",
		"There is no verdict to read.":                    "没有可读的判断。",
		"Verdicts read: %d. The truth of each is in memory already, so none is left to guess.":                                        "已读判断：%d 个。每一个的真相都已在记忆库中，无需再猜。",
		"Nothing was recorded: %s is empty.":                                                                                          "没有记录任何内容：%s 是空的。",
		"Nothing was recorded: the files are empty.":                                                                                  "没有记录任何内容：文件都是空的。",
		"Nothing was recorded: no file has a run that can be read.":                                                                   "没有记录任何内容：没有一个文件含有可读的运行。",
		"Files without a run that can be read: %d.":                                                                                   "没有可读运行的文件：%d 个。",
		"interrupted before the first error type was looked at; nothing was learned and nothing is lost; give the same command again": "在查看第一个错误类型之前中断；没有学到什么，也没有丢失什么；请重新执行同一命令",
		"%s (%s)":                         "%s（%s）",
		"it went out of use a moment ago": "刚刚停用",
	}
}
