package main

// chineseReasons returns in Chinese, by their English, the reasons of retrieval and
// enhance and the names of its signals that chinese does not have.
func chineseReasons() map[string]string {
	return map[string]string{
		"the very test": "同一测试",
		"children":      "下级",

		"taken as number %d: fits %.2f, scores %.2f":                                                                 "采用，排第 %d：相符度 %.2f，得分 %.2f",
		"fits %.2f; the least for a memory of this level (%s) is %.2f":                                               "相符度 %.2f；%s至少要 %.2f",
		"the prompt does not call for its check, and its words fit %.2f where it needs %.2f; its place is no reason": "提示词没有要求它的检查项，文字相符度 %.2f，至少要 %.2f；位置相同不算理由",
		"is trusted %.2f, below the floor of %.2f":                                                                   "可信度 %.2f，低于下限 %.2f",
		"fits %.2f; beside the case %s, which is nearer, it would need %.2f":                                         "相符度 %.2f；已有更近的案例 %s，需达到 %.2f",
		"is for tests nobody has seen; the case %s is of the very test":                                              "针对没有见过的测试；案例 %s 就是这个测试本身",
		"is of another page; the case %s is of this very one":                                                        "属于别的页面；案例 %s 就是这个页面的",
		"is of another test; beside the lesson %s only cases of the very test are given":                             "属于另一个测试；有经验 %s 时只提供同一测试的案例",
		"is of one branch with %s, which came first: a lesson or cases of it, never both":                            "与先选的 %s 同属一支：教训与案例只取其一",
		"is covered by %s %s; of the candidates it stands for: %d":                                                   "已由%s %s 涵盖，它代表 %d 个候选",
		"warns of %s where %s, which came first, warns of %s: never both":                                            "它提醒%s，而排在前面的 %s 提醒%s：两者不同时给出",
		"passes, but better ones took all %d places there are for %s":                                                "合格，但更好的已占满 %d 条的上限（%s）",
		"passes, but the limit of %d in all was reached by better ones":                                              "合格，但更好的已占满总共 %d 条的上限",
		"passes, but adds too little to what was taken, which it is %.2f like":                                       "合格，但与已采用的相似度为 %.2f，补充太少",

		"it says the same as %s":                                                "与 %s 内容相同",
		"there is no room left for it in %d tokens":                             "在 %d 个 token 中已放不下",
		"it does not say what to check":                                         "没有说明要检查什么",
		"it gives away the ground truth of its test (a number)":                 "会泄露其测试的标准答案（一个数字）",
		"it gives away the ground truth of its test (a sentence or long value)": "会泄露其测试的标准答案（一句话或较长的值）",
		"it gives away the ground truth of its test (a value)":                  "会泄露其测试的标准答案（一个值）",
		"facts of the page itself are told in its place":                        "已改为直接告知页面现状",

		"an amount is neither the price nor the price times the quantity":                 "有一处金额既不是单价，也不是单价乘数量",
		"another number stands there":                                                     "那里是另一个数字",
		"both texts are on the page":                                                      "两种文字页面上都有",
		"it is disabled, which may be right before something else is done":                "它是禁用的，但在别的操作之前禁用也可能是对的",
		"it is not plain which number belongs to the label":                               "看不出哪个数字属于这个标签",
		"one is there, but something may have to be done before the one that is meant is": "页面上有一个，但要先做别的操作才出现的那个未必是它",
		"one is on and another is off":                                                    "有的选中，有的没有",
		"it is not there, and something may have to be done first":                        "页面上没有，可能要先做别的操作",
		"it is of a third type":                                                           "它是第三种类型",
		"its name is there, of something else":                                            "页面上有这个名称，但不是它",
		"neither text is on the page":                                                     "两种文字页面上都没有",
		"no price with a quantity of two or more is on the page":                          "页面上没有数量在两个以上的价格",
		"no such control is on the page":                                                  "页面上没有这样的控件",
		"nothing decides what this is about":                                              "没有办法判断",
		"one is disabled and another is not":                                              "有的禁用，有的没有",
		"the label is not on the page":                                                    "页面上没有这个标签",
		"the observation does not tell controls from text":                                "观察内容分不出控件和文字",
		"the observation does not tell the types of its fields":                           "观察内容没有输入框的类型",
		"the page is still loading, or hardly anything is on it":                          "页面还在加载，或几乎没有内容",
		"the text says too little by itself":                                              "单凭这段文字说明不了",

		"its text tells the agent to ignore its instructions":  "其文字要求智能体忽略指令",
		"its text tries to change who the agent is":            "其文字试图改变智能体的身份",
		"its text asks for what the agent must keep to itself": "其文字索取智能体必须保密的内容",
		"its text tries to close the block it stands in":       "其文字试图结束它所在的文本块",
		"its text forces a verdict whatever the agent sees":    "其文字不顾所见、强行规定结论",
	}
}
