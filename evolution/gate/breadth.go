package gate

import (
	"regexp"
	"sync"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

// universal matches a condition that begins with a universal quantifier.
var universal = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\W*(?:(?:in|on|for|at|with|to) )?(?:any|every|all|always|anything|everything|` +
		`everywhere)\b|` +
		`^(?:在|对|对于)?(?:所有|任何|任意|一切|全部|凡是|每个|每一个|每次|始终|总是)`)
})

// breadth refuses a condition that applies to everything: a lesson that is always given does not help. The condition
// of a strategy is made of those of its experiences, which are checked themselves.
func breadth(_ *Gates, v *view) string {
	for _, s := range v.draft.AppliesWhen {
		if at := universal().FindString(s); at != "" && v.about.Type != "strategy" {
			return v.because(taxonomy.Text{EN: "“%s” begins with %q; say what tells these tasks from others",
				ZH: "“%s”以“%s”开头；请写出这些任务与其他任务的区别"}, text.Clip(s, 60), at)
		}
	}
	return ""
}

// differing matches statements of a draft that its cases have no common cause.
var differing = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:different|various|several|unrelated|separate|mixed|assorted) (?:\w+ )?` +
		`(?:causes?|reasons?|mistakes?|problems?|alarms?|errors?)\b|\b(?:cases|runs|they|these|which) ` +
		`(?:differ|(?:have|share) (?:nothing|little|no)|do not share|are unrelated)\b|` +
		`\b(?:no|without a) (?:common|shared|single) (?:root )?(?:cause|mistake|reason)\b` +
		`|(?:原因|错误|情况|案例)(?:各不相同|各异|不一|互不相关|并不相同|都不同)|(?:没有|缺乏|并无|无)共同(?:点|原因|之处)|不是同一(?:个)?原因|互不相关`)
})

// oneCause refuses a draft that states that its cases differ: then they are no group, and one lesson about them is
// about none of them.
func oneCause(_ *Gates, v *view) string {
	for _, s := range []string{v.draft.Title, v.draft.Description} {
		if at := differing().FindString(s); at != "" {
			return v.because(taxonomy.Text{EN: "%q: cases that differ make no lesson; leave out those that do not belong",
				ZH: "“%s”：案例各不相同就不成经验；请去掉不属于这一组的案例"}, at)
		}
	}
	return ""
}
