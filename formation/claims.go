package formation

import (
	"slices"
	"strings"

	"github.com/memtree/memtree/cue"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/text"
)

// The same words mean different mistakes in the mouth of an evaluator and of an
// agent. "It did not submit the form", said by the evaluator, is a step left out.
// Said by an agent that was wrong about it, it is a state not recognised. For this
// reason the claims of the agent have cues of their own.

// claimCues lists words of one error type, with | between them. In denied() a word
// counts only after a denial. … is as in taxonomy.Cue.
type claimCues struct {
	kind   string
	weight float64
	words  string
}

// denied lists what a wrong "fail" denies, by error type: an outcome (state), a way
// of doing something (sequence), the agreement of content, the presence of an
// element, a criterion.
func denied() []claimCues {
	return []claimCues{
		{"state_detection_error", 3, "click|achieve|submit|submission|save|saved|add|added|posted|confirmation|create|" +
			"created|update|updated|change|changed|delete|remove|send|sent|apply|applied|place|placed|reach|finish|finalize|" +
			"publish|subscribe|select|enable|log in|sign in|result in|take effect|reflect"},
		{"interaction_sequence_error", 3, "step|process|navigate|use|scroll|filter|sort|search|visit|verify|verification|" +
			"check|ensure|instruction|follow"},
		{"content_validation_error", 3, "match|correct answer|accurate|accurately|equal|same|content|text|value|number|" +
			"count|information|detail|data|answer|calculate|mention"},
		{"element_locating_error", 3, "find|found|identify|identified|locate|located|visible|see|seen|present|presence|" +
			"appear|image|picture|icon|button|link|listing|element"},
		{"business_rule_error", 3, "meet|criteria|criterion|requirement|satisfy|eligible|policy|permission|allowed|budget|" +
			"distance|proximity|price range|constraint|within"},
		{"edge_case_error", 4, "available|exist|result found|results|record|applicable|possible|support"},
		{"form_validation_error", 3, "fill|field|form|input|enter|entered|type|typed|required field|dropdown"},
		{"async_timing_error", 3, "load|loaded|wait|render|respond|yet|in time"},
	}
}

// reported lists words of a wrong "fail" that need no denial before them.
func reported() []claimCues {
	return []claimCues{
		{"state_detection_error", 3, "remain|remains|still|unchanged|unsaved|final state|final page|ended on|stopped|" +
			"unfinished|仍|未完成|未保存|未提交|未生效|没有生效|没有保存|没有提交|没有成功|未成功|没有变化|未更新|状态"},
		{"interaction_sequence_error", 3, "instead of|directly|steps|skipped|repeated|repeatedly|步骤|未按|没有按照|没有执行|未执行|" +
			"没有点击|未点击|没有使用|跳过|直接"},
		{"content_validation_error", 3, "incorrect|incorrectly|wrong|mismatch|discrepancy|inaccurate|differs|" +
			"misinterpreted|miscounted|不一致|不匹配|不符|错误显示|显示为|文字|数量|数值|统计|内容"},
		{"element_locating_error", 3, "different … item|wrong … item|another … item|overlooked|hidden|找不到|没有找到|未找到|没有看到|" +
			"未看到|看不到|缺少|缺失|不存在|没有…按钮|没有…链接"},
		{"business_rule_error", 3, "exceeds|violates|cheapest|closest|nearest|at least|at most|more than|less than|" +
			"规则|条件|权限|价格|限额|要求"},
		{"edge_case_error", 4, "unavailable|impossible|no results|empty|none of|无结果|为空|无法完成|不可用|异常"},
		{"form_validation_error", 3, "validation|form field|输入框|必填|格式|校验|未填写|没有填写"},
		{"async_timing_error", 3, "loading|timed out|timeout|blank page|spinner|加载|超时|白屏|空白"},
	}
}

// asserted lists what a wrong "pass" asserts, by error type.
func asserted() []claimCues {
	return []claimCues{
		{"state_detection_error", 2, "successfully … submit|submitted|saved|added|posted|confirmed|confirmation|created|" +
			"updated|changed|deleted|removed|sent|placed|subscribed|selected|enabled|logged in|applied|final state|成功|已提交|" +
			"已保存|已添加|已创建|已更新|已删除|已选中|已完成|生效|状态"},
		{"content_validation_error", 2, "answer|answered|identified … as|extracted|provided|reported|retrieved|number|" +
			"count|price|name|value|text|information|details|matches|match|accurate|total|sum|average|内容|文字|数量|数值|一致|" +
			"统计|显示为|符合预期|正常显示"},
		{"element_locating_error", 2, "located|found the|image|picture|correct item|correct product|correct post|" +
			"the right|icon|按钮|图标|找到|存在|可见"},
		{"interaction_sequence_error", 2, "all steps|each step|all key points|every step|followed|in order|sequence|" +
			"所有步骤|依次|按顺序|操作流程"},
		{"business_rule_error", 2, "criteria|requirements|cheapest|closest|lowest|highest|most recent|within|policy|" +
			"eligible|meets|规则|条件|权限|价格|最低|最高|最近"},
		{"edge_case_error", 4, "no results|not available|does not exist|no such|none|empty|impossible|" +
			"cannot be|无结果|为空|不存在|无法"},
		{"form_validation_error", 2, "field|fields|form|filled|entered|input|dropdown|表单|输入框|校验|必填|格式|填写"},
		{"async_timing_error", 3, "loading|loaded|waiting|加载|等待"},
	}
}

const denial = "not|no|fail|failed|without|lack|never|unable|neither|nor|missing"

// newClaims compiles cues for the claims of a wrong verdict of direction d.
func newClaims(types []string, d taxonomy.Direction) *classifier {
	c := &classifier{types: types, finder: cue.NewMatcher(gapClaim)}
	put := func(list []claimCues, before string) {
		for _, l := range list {
			kind := slices.Index(types, l.kind)
			if kind < 0 {
				continue
			}
			for w := range strings.SplitSeq(l.words, "|") {
				if before == "" {
					c.finder.Add(kind, w, w, l.weight)
					continue
				}
				for n := range strings.SplitSeq(before, "|") {
					c.finder.Add(kind, w, n+"…"+w, l.weight)
				}
			}
		}
	}
	switch d {
	case taxonomy.FalseFail:
		put(denied(), denial)
		put(reported(), "")
	case taxonomy.FalsePass:
		put(asserted(), "")
	}
	return c
}

// kindOfTask is what a task wants of the agent.
type kindOfTask int8

const (
	unclear          kindOfTask = iota
	changesSomething            // add, order, delete …
	asksSomething               // what, how many, list …
)

// taskKind returns the kind of a task. The first word that asks or changes decides.
func taskKind(prompt string) kindOfTask {
	low := " " + text.Squeeze(strings.ToLower(firstBytes(prompt, 400))) + " "
	asks := firstOf(low, " what ", " what's ", " which ", " how many ", " how much ", " who ", " whose ", " when ",
		" where ", " tell me ", " list ", " find out ", " get the ", " give me ", " show me ", "多少", "哪个", "哪些", "什么", "几个",
		"查询", "列出", "告诉")
	changes := firstOf(low, " add ", " create ", " order ", " buy ", " post ", " comment ", " subscribe ", " unsubscribe ",
		" delete ", " remove ", " update ", " change ", " edit ", " set ", " submit ", " upload ", " send ", " fill ",
		" open ", " assign ", " reply ", " book ", " cancel ", " draft ", " sort ", " filter ", " invite ", " rate ", "添加",
		"新建", "创建", "提交", "删除", "修改", "编辑", "保存", "上传", "发送", "发布", "下单", "设置", "点击", "登录")
	switch {
	case asks < changes:
		return asksSomething
	case changes < asks:
		return changesSomething
	default:
		return unclear
	}
}

// firstOf returns the offset at which the first of the words stands in s, len(s) if
// none does.
func firstOf(s string, words ...string) int {
	first := len(s)
	for _, w := range words {
		if i := strings.Index(s, w); i >= 0 && i < first {
			first = i
		}
	}
	return first
}
