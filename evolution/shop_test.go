package evolution

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// The checks of the made-up shop: two of one error type, one that is a kind of another, and one of another error type.
// Where a note has to be read for what was missed, it uses words unknown to everything built in: zorped and flumped
// for sums, glimmed and grobbed for dates.
const shopChecks = `checks:
  - id: t_sums
    errorTypes: [content_validation_error]
    name: {en: Adding up, zh: 合计重算}
    missed:
      title: {en: The total was not added up, zh: 合计没有重算}
      do: {en: Add the lines up and compare the sum with the total., zh: 把各行金额相加，与合计比较。}
      with: {en: "Add the lines up and compare the sum with {what}.", zh: "把各行金额相加，与{what}比较。"}
      mistake: {en: The total was taken for right without being added up., zh: 合计没有重算就当成正确。}
      when: {en: a task asks whether a total is right, zh: 任务要求核对合计}
    alarm:
      title: {en: The total was called wrong for no reason, zh: 把合计误判为错}
      do: {en: Add shipping and discount before a total is compared., zh: 先把运费和优惠算上，再比较合计。}
      mistake: {en: The total was called wrong although shipping explains it., zh: 没有算运费就判合计错误。}
      when: {en: a task asks whether a total is right, zh: 任务要求核对合计}
    asked: [{weight: 6, say: ["total … sum", 合计]}]
    said: [{weight: 10, say: ["add … up", "added … up", zorped, flumped, 相加]}]
  - id: t_dates
    errorTypes: [content_validation_error]
    name: {en: Language of a date, zh: 日期的语言}
    missed:
      title: {en: The language of a date was not read, zh: 日期语言不对}
      do: {en: Read the month of each date and compare its language with the account's., zh: 读出每个日期的月份，与账户语言比较。}
      mistake: {en: The month was not read., zh: 没有读月份。}
      when: {en: a task asks for a date, zh: 任务提到日期}
    said: [{weight: 10, say: [foreign, glimmed, grobbed, 月份]}]
  - id: t_links
    errorTypes: [content_validation_error]
    name: {en: Where links lead}
    missed:
      title: {en: A link was not opened at all}
      do: {en: Open each link and read the heading of its page.}
      mistake: {en: The link was not opened.}
      when: {en: a task asks where a link leads to}
    said: [{weight: 10, say: ["link … dead"]}]
  - id: t_mails
    wider: t_links
    errorTypes: [content_validation_error]
    name: {en: Addresses that links write to}
    missed:
      title: {en: A mail link was not opened at all}
      do: {en: Open each mail link and read whom it writes to.}
      mistake: {en: The mail link was not opened.}
      when: {en: a task asks whom a mail goes to}
    said: [{weight: 10, say: ["mail link"]}]
  - id: t_waits
    errorTypes: [async_timing_error]
    name: {en: Waiting}
    missed:
      title: {en: The page was judged too soon}
      do: {en: Wait until the spinner is gone before you look.}
      mistake: {en: The page was judged while it was loading.}
      when: {en: a task is about a page that loads}
    said: [{weight: 10, say: [spinner]}]
`

// parsed is the built-in taxonomy with an overlay; the tests depend on nothing
// that is built in but the error types.
func parsed(tb testing.TB, overlay string) *taxonomy.Taxonomy {
	tb.Helper()
	t, err := taxonomy.Parse("memtree.yaml", []byte(overlay))
	require.NoError(tb, err)
	return t
}

var theShop = sync.OnceValues(func() (*taxonomy.Taxonomy,
	error) {
	return taxonomy.Parse("memtree.yaml", []byte(shopChecks))
})

func tax(tb testing.TB) *taxonomy.Taxonomy {
	tb.Helper()
	t, err := theShop()
	require.NoError(tb, err)
	return t
}

func options(tb testing.TB) Options {
	tb.Helper()
	return with(tax(tb))
}

// with returns the options of the tests. Words adds a condition to a lesson without a
// check.
func with(t *taxonomy.Taxonomy) Options {
	fill := enhance.NewWording(t).Fill
	return Options{Taxonomy: t, Words: func(n *tree.Node) {
		if fill(n); n.Type == tree.Experience && len(n.Content.AppliesWhen) == 0 {
			n.Content.Title = taxonomy.Text{EN: "The picture was not held beside its design", ZH: "没有把图片和设计稿对比"}.In(n.Lang)
			n.Content.AppliesWhen = []string{taxonomy.Text{EN: "a task is about the picture of something",
				ZH: "任务要求检查图片"}.In(n.Lang)}
		}
	}}
}

// missed is a miss as a person described it.
func missed(check, how string, what ...string) tree.Miss {
	t, err := theShop()
	if err != nil {
		panic(err)
	}
	m := tree.Miss{Check: check, ErrorType: "content_validation_error", How: how, What: what, From: tree.FromPerson,
		Sure: 0.8, At: []string{"reason"}}
	if c, ok := t.Check(check); ok {
		m.ErrorType = c.ErrorType()
	}
	return m
}

// made returns a case of a made-up shop with what was missed in it, the
// weightiest first.
func made(i int, misses ...tree.Miss) tree.Node {
	at := time.Date(2026, 1, 1+i%20, 9, 0, 0, 0, time.UTC)
	n := tree.Node{
		Type: tree.Case, Level: 1, ErrorType: misses[0].ErrorType, Direction: taxonomy.FalsePass, Lang: "en",
		Status: tree.Active, Revision: 1,
		Children: []string{}, Scene: tree.Scene{ID: fmt.Sprint("S", i), Type: "form", Route: "/orders"},
		Content:    tree.Content{Title: "t", Confidence: 0.6},
		Metadata:   tree.Metadata{CreatedAt: at, UpdatedAt: at},
		Provenance: tree.Provenance{By: "formation", Analyst: "rules"},
		CaseData: &tree.CaseData{
			TestCase: tree.TestCase{CaseID: fmt.Sprint("T", i), Prompt: fmt.Sprintf("Check page %d of the shop.", i),
				GroundTruth: tree.Raw(`"true"`)},
			AgentJudgment: "pass", Misses: misses,
		},
		Occurrences: []tree.Occurrence{{Evaluation: fmt.Sprint("v", i), At: at}},
	}
	n.ID = tree.EvidenceID(&n)
	return n
}

// as changes a case and gives it the id of its evidence again.
func as(n tree.Node, edit func(n *tree.Node)) tree.Node {
	n = n.Clone()
	edit(&n)
	n.ID = tree.EvidenceID(&n)
	return n
}

// alarm makes a false alarm of a case.
func alarm(n tree.Node) tree.Node {
	return as(n, func(n *tree.Node) { n.Direction = taxonomy.FalseFail })
}

// aged sets when the mistake of a case was last made, in days before it was.
func aged(n tree.Node, days int) tree.Node {
	n = n.Clone()
	n.Metadata.UpdatedAt = n.Metadata.UpdatedAt.Add(-time.Duration(days) * 24 * time.Hour)
	for i := range n.Occurrences {
		n.Occurrences[i].At = n.Metadata.UpdatedAt
	}
	return n
}

// sum is a case in which a total was not added up.
func sum(i int, thing string) tree.Node {
	n := made(i, missed("t_sums", "The agent did not add the lines of the "+thing+
		" up and took the rounded total for the exact sum.", "Total"))
	return as(n, func(n *tree.Node) {
		n.CaseData.TestCase.Prompt = "Check that the " + thing + " total on the order page equals the sum of its lines."
	})
}

// date is a case in which the language of a date was overlooked.
func date(i int, thing string) tree.Node {
	n := made(i, missed("t_dates", "The agent overlooked that the month of the "+thing+" date was in a foreign language."))
	return as(n, func(n *tree.Node) {
		n.CaseData.TestCase.Prompt = "Check that the " + thing + " shows its date in the language of the account."
	})
}

var things = []string{"invoice", "voucher", "basket", "refund", "delivery", "wishlist", "receipt", "parcel"}

// sums are five cases that missed one check.
func sums() []tree.Node {
	var out []tree.Node
	for i, x := range things[:5] {
		out = append(out, sum(i, x))
	}
	return out
}

// dates are four cases that missed another of the same error type.
func dates() []tree.Node {
	var out []tree.Node
	for i, x := range things[4:] {
		out = append(out, date(10+i, x))
	}
	return out
}

// single is a case that nothing else is like.
func single(i int) tree.Node {
	n := made(i, tree.Miss{ErrorType: "edge_case_error", How: fmt.Sprintf("Took list %d for a broken one.", i),
		From: tree.FromPerson})
	return as(n, func(n *tree.Node) { n.Direction, n.Content.Confidence = taxonomy.FalseFail, 0.5 })
}

// shop is two checks of one error type and direction, and some cases apart.
func shop() []tree.Node {
	return append(slices.Concat(sums(), dates()),
		made(20, missed("t_links", "The link in the footer is dead.")),
		made(21, missed("", "The picture was upside down.")),
		made(22, missed("t_waits", "The spinner was still there.")),
	)
}

func pointers(nodes []tree.Node) []*tree.Node {
	out := make([]*tree.Node, len(nodes))
	for i := range nodes {
		out[i] = &nodes[i]
	}
	byID(out)
	return out
}

// nobodysWords fails where a lesson holds a sentence that is neither the taxonomy's nor a whole sentence of a person's
// text about one of its cases.
func (m *memory) nobodysWords(tax *taxonomy.Taxonomy) {
	m.tb.Helper()
	for _, n := range append(m.live(tree.Experience), m.live(tree.Strategy)...) {
		whole := map[string]bool{"": true}
		for _, l := range n.Content.Lessons {
			for _, id := range l.Cites {
				c, ok := m.nodes[id]
				require.True(m.tb, ok, "%s cites %s", n.ID, id)
				for _, x := range c.CaseData.Misses {
					for _, s := range append(text.Sentences(x.How), text.Sentences(x.Instead)...) {
						whole[s] = true
					}
				}
			}
		}
		for _, l := range n.Content.Lessons {
			check, _ := tax.Check(l.Kind)
			a := check.Advice(n.Direction)
			before, after, _ := strings.Cut(a.With.In(n.Lang), taxonomy.What)
			worded := l.Check == a.Do.In(n.Lang) ||
				before+after != "" && strings.HasPrefix(l.Check, before) && strings.HasSuffix(l.Check, after)
			require.True(m.tb, worded && l.From == tree.FromCatalogue && l.Check != "" ||
				whole[l.Check] && l.From != tree.FromCatalogue && l.Check != "", "%s does: %q", n.ID, l.Check)
			require.True(m.tb, whole[l.Mistake], "%s mistake: %q", n.ID, l.Mistake)
			require.Empty(m.tb, l.Instead)
			require.True(m.tb, slices.IsSorted(l.Cites))
			require.LessOrEqual(m.tb, cmp.Or(l.Tests, 1), cmp.Or(l.Times, 1))
		}
	}
}
