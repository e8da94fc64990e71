package gate

import (
	"slices"
	"unicode/utf8"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The minima of a draft.
const (
	leastTitle    = 4    // characters of the title
	leastWords    = 3    // words of a check
	leastTests    = 2    // tests of the cases that a lesson cites; one test alone may be flaky
	leastCoverage = 0.60 // share of the shown cases that some lesson cites
)

// limits refuses a draft without lessons, a title or a condition, with too many lessons or conditions, or with a
// lesson without a check or one that repeats another.
func limits(_ *Gates, v *view) string {
	d := v.draft
	switch n := len(d.Lessons); {
	case n == 0:
		return v.because(taxonomy.Text{EN: "it does not say what to check", ZH: "没有说明要检查什么"})
	case n > tree.MaxLessons:
		return v.because(taxonomy.Text{EN: "there are %d lessons; the most is %d", ZH: "共有 %d 条经验；最多 %d 条"}, n,
			tree.MaxLessons)
	}
	if utf8.RuneCountInString(d.Title) < leastTitle {
		return v.because(taxonomy.Text{EN: "there is no title", ZH: "没有标题"})
	}
	for i, l := range d.Lessons {
		if len(text.Words(l.Check)) < leastWords {
			return v.because(taxonomy.Text{EN: "lesson %d does not say what to check", ZH: "第 %d 条没有说明要检查什么"}, i+1)
		}
		if slices.ContainsFunc(d.Lessons[:i], func(o tree.Lesson) bool {
			return o.Check == l.Check &&
				o.Instead == l.Instead
		}) {
			return v.because(taxonomy.Text{EN: "lesson %d says the same as another", ZH: "第 %d 条与另一条重复"}, i+1)
		}
	}
	if len(d.AppliesWhen) == 0 {
		return v.because(taxonomy.Text{EN: "it does not say when it applies", ZH: "没有说明何时适用"})
	}
	if len(d.AppliesWhen) > tree.MaxConditions || len(d.NotWhen) > tree.MaxConditions {
		return v.because(taxonomy.Text{EN: "there are too many conditions; give at most %d", ZH: "条件太多；最多 %d 条"},
			tree.MaxConditions)
	}
	return ""
}

// language refuses a text that is not in the language of the cases. A name in another language is harmless, because
// the majority of a text's words decides.
func language(_ *Gates, v *view) string {
	other := func(s string) bool { return len(text.Words(s)) >= leastWords && text.Lang(s) != v.about.Lang }
	for i, l := range v.draft.Lessons {
		if slices.ContainsFunc([]string{l.Check, l.Instead, l.Mistake}, other) {
			return v.because(taxonomy.Text{EN: "lesson %d is not in English", ZH: "第 %d 条没有用中文书写"}, i+1)
		}
	}
	for _, s := range append([]string{v.draft.Title, v.draft.Description},
		append(v.draft.AppliesWhen, v.draft.NotWhen...)...) {
		if other(s) {
			return v.because(taxonomy.Text{EN: "%q is not in English", ZH: "“%s”没有用中文书写"}, text.Clip(s, 40))
		}
	}
	return ""
}

// members refuses a lesson that cites anything but the given cases, or cases of fewer than two tests.
func members(_ *Gates, v *view) string {
	known := map[string]*tree.Node{}
	for _, n := range v.about.Members {
		known[n.ID] = n
	}
	for i, l := range v.draft.Lessons {
		tests := map[string]bool{}
		for _, id := range l.Cites {
			if known[id] == nil {
				return v.because(taxonomy.Text{EN: "lesson %d cites %q, which is none of the cases", ZH: "第 %d 条引用了 %q，它不在所给案例之中"},
					i+1, text.Clip(id, 30))
			}
			tests[testOf(known[id])] = true
		}
		if n := len(tests); n < leastTests {
			return v.because(taxonomy.Text{EN: "lesson %d cites cases of %d tests; a lesson rests on at least %d",
				ZH: "第 %d 条引用的案例来自 %d 个测试；至少要有 %d 个"}, i+1, n, leastTests)
		}
	}
	return ""
}

// coverage refuses a draft whose lessons cite too few of the cases that were shown.
func coverage(_ *Gates, v *view) string {
	if len(v.draft.Lessons) == 0 {
		return "" // limits has the reason
	}
	cited := map[string]bool{}
	for _, l := range v.draft.Lessons {
		for _, id := range l.Cites {
			cited[id] = true
		}
	}
	n := 0
	for _, c := range v.about.Shown {
		if cited[c.ID] {
			n++
		}
	}
	if share := float64(n) / float64(max(1, len(v.about.Shown))); share < leastCoverage {
		return v.because(taxonomy.Text{EN: "the lessons cite %.0f %% of the cases; at least %.0f %% must be covered",
			ZH: "各条教训引用了 %.0f %% 的案例；至少要覆盖 %.0f %%"},
			100*share, 100*leastCoverage)
	}
	return ""
}
