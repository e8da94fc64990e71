package gate

import (
	"regexp"
	"strings"
	"sync"

	"github.com/memtree/memtree/internal/guard"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
)

var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("“([^”]{1,120})”|\"([^\"]{1,120})\"|「([^」]{1,120})」|『([^』]{1,120})』|" +
		"‘([^’]{2,120})’|`([^`]{1,120})`|《([^》]{1,120})》|(?:^|[\\s(:])'([^']{2,120})'")
})

// quotedIn returns the texts between quotation marks, in lower case.
func quotedIn(s string) []string {
	var out []string
	for _, m := range quoted().FindAllStringSubmatch(s, -1) {
		for _, q := range m[1:] {
			if q = strings.ToLower(strings.Trim(q, " .,;:!?。，；：！？")); q != "" {
				out = append(out, q)
			}
		}
	}
	return out
}

// quotes refuses a quotation that appears only in people's texts about one test: neither in its task nor in its
// agent's texts. A quotation of two tests belongs to none, and a lesson may name the things on which its check was
// missed. A person may quote what they like: the gate of truths remains.
func quotes(_ *Gates, v *view) string {
	if v.about.Person {
		return ""
	}
	for _, s := range v.draft.Texts() {
		for _, q := range quotedIn(s) {
			with := v.having(func(e *caseTexts) bool { return strings.Contains(e.all, q) })
			if !v.things[q] && testsOf(with) == 1 && !strings.Contains(strings.ToLower(with[0].known), q) {
				return v.because(taxonomy.Text{EN: "%q is the wording of one test; name things in general",
					ZH: "“%s”是某一个测试里的文字；请用一般说法"}, text.Clip(q, 40))
			}
		}
	}
	return ""
}

// truth refuses a draft with a text of one test's ground truth that is neither in the prompt nor in the agent's
// answer. A text in the prompts or ground truths of two tests gives nothing away.
func truth(_ *Gates, v *view) string {
	all := strings.Join(v.draft.Texts(), "\n")
	for _, e := range v.cases {
		var texts []any
		for _, s := range e.truth {
			texts = append(texts, s)
		}
		secret := guard.TruthsOf(texts, e.known)
		value, yes := secret.Find(all)
		if !yes || v.things[value] {
			continue
		}
		with := v.having(func(o *caseTexts) bool {
			return strings.Contains(strings.ToLower(o.prompt+"\n"+strings.Join(o.truth, "\n")), value)
		})
		if testsOf(with) < leastTests {
			return v.because(taxonomy.Text{EN: "%q is true of one test only and tells its result; leave that out",
				ZH: "“%s”只在某一个测试里成立，会透露它的结果；请去掉"}, text.Clip(value, 40))
		}
	}
	return ""
}
