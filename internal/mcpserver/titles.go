package mcpserver

// chineseTitles are the titles of the tools, which people see in their clients.
var chineseTitles = map[string]string{
	"get_guidance":      "测试前获取提示",
	"search_memories":   "搜索记忆",
	"get_memory":        "查看一条记忆",
	"assess_verdict":    "评估一个判断",
	"record_outcome":    "记录测试结果",
	"record_case":       "记录错误的判断",
	"propose_memory":    "提议一条教训",
	"get_context":       "测试前获取上下文",
	"find_element":      "查找元素",
	"list_facts":        "列出已知事实",
	"remember":          "提议一条事实",
	"correct_case":      "更正案例涉及的检查",
	"list_review_queue": "列出待人审核的内容",
	"memory_stats":      "统计记忆",
	"read_tests":        "预读待执行的用例",
	"submit_brief":      "提交预读结果",
	"read_runs":         "阅读误判的运行",
	"write_lessons":     "提交归纳的经验",
	"start_run":         "开始一次运行",
	"update_run":        "更新一次运行",
	"resume_run":        "接着做一次运行",
	"recall_runs":       "查找相似的运行",
}
