package retrieval

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// taught makes a lesson that a person taught.
func taught(id, lesson, when string, change ...func(*tree.Node)) tree.Node {
	return above(tree.Experience, id, lesson, append([]func(*tree.Node){func(n *tree.Node) {
		n.Taught, n.Content.Confidence = &tree.Taught{}, 0.9
		n.Content.AppliesWhen = []string{when}
		n.Content.Lessons = []tree.Lesson{{Check: lesson, From: tree.FromPerson}}
	}}, change...)...)
}

func forTests(tests ...string) func(*tree.Node) {
	return func(n *tree.Node) { n.Taught.For = tests }
}

func ofProduct(p string) func(*tree.Node) { return func(n *tree.Node) { n.Scope.Product = p } }

func scopeOf(test string) tree.Scope { return tree.Scope{Test: test} }

// A person's text is found by its conditions, in a store that has nothing else too.
func TestOwnWordsAreFoundByTheirConditions(t *testing.T) {
	for _, x := range []struct{ lesson, when, fits, not string }{
		{"Compare the unit of the rate with the unit of the order.", "a test sets an infusion rate",
			"On pump 4 set the infusion rate to 5 and press Start.", "Open the profile and upload a new photo."},
		{"核对输液泵的单位与医嘱单位是否一致。", "测试输液速度时", "把 4 号泵的输液速度设为 5，再点开始。", "打开个人资料，上传新头像。"},
	} {
		ix := indexOf(t, taught("e_own", x.lesson, x.when))
		require.Equal(t, []string{"e_own"}, ids(ask(t, ix, Query{Prompt: x.fits}).Hits))
		require.Empty(t, ask(t, ix, Query{Prompt: x.not}).Hits)
	}
}

// No check calls for a lesson of which a person chose the conditions, whatever check it was learned from.
func TestOwnWordsAreNotFoundByTheCheck(t *testing.T) {
	const calls = "Save the new phone number, reload the page, check that it is still there"
	asked := ask(t, New(taxonomy.Default(), nil), Query{Prompt: calls}).Asked
	require.NotEmpty(t, asked)
	learned := above(tree.Experience, "e_learned", "x", func(n *tree.Node) {
		n.Content.Lessons = []tree.Lesson{{Kind: asked[0], From: tree.FromCatalogue}}
	})
	require.NotEmpty(t, ask(t, indexOf(t, learned), Query{Prompt: calls}).Hits)
	edited := taught("e_own", "Compare the colour of the seal with the one of the catalogue.", "a seal is shown",
		func(n *tree.Node) {
			n.Taught, n.Provenance.By, n.Content.Lessons[0].Kind = nil, tree.ByPerson, asked[0]
		})
	require.NotEmpty(t, ask(t, indexOf(t, edited), Query{Prompt: calls}).Hits, "a person chose other words alone")
	edited.Provenance.When = true
	require.Empty(t, ask(t, indexOf(t, edited), Query{Prompt: calls}).Hits)
	require.NotEmpty(t, ask(t, indexOf(t, edited), Query{Prompt: "A seal is shown on the page of the deed."}).Hits)
}

// The tests that a lesson was taught for find it, beside their own case and after the index was saved.
func TestOwnWordsAreFoundByExamples(t *testing.T) {
	lesson := taught("e_own", "Compare the unit with the order.", "an infusion is set", func(n *tree.Node) {
		n.Taught.For = []string{"Open  the Ledger and close the month", "PAY_7"}
		n.ErrorType = taxonomy.OtherError
	})
	own := aCase("Open the ledger and close the month", func(n *tree.Node) { n.ErrorType = taxonomy.OtherError })
	ix := indexOf(t, lesson, own, aCase("Sort the list by price"))
	s := shelf{}
	s.store(t, ix)
	for _, ix := range []*Index{ix, s.load(t, taxonomy.Default(), encoder(t))} {
		require.ElementsMatch(t, []string{"e_own", own.ID},
			ids(ask(t, ix, Query{Prompt: "open the ledger and close the month"}).Hits))
		r := ask(t, ix, Query{Prompt: "Pay.", Scope: tree.Scope{Test: "PAY_7"}})
		require.Equal(t, []string{"e_own"}, ids(r.Hits))
		require.True(t, r.Hits[0].OfTest())
		require.Equal(
			t,
			[]string{"e_own"},
			ids(ask(t, ix, Query{Prompt: "Open the ledger, close the month of May"}).Hits[:1]),
		)
	}
}

// A lesson of one product is not found for another.
func TestOwnWordsStayInTheirProduct(t *testing.T) {
	ix := indexOf(t, taught("e_own", "Compare the unit with the order.", "the infusion rate is set",
		func(n *tree.Node) { n.Scope.Product = "pump" }))
	ask := func(product string) []string {
		return ids(ask(t, ix, Query{Prompt: "Set the infusion rate to 5", Scope: tree.Scope{Product: product}}).Hits)
	}
	require.Equal(t, []string{"e_own"}, ask("pump"))
	require.Equal(t, []string{"e_own"}, ask(""))
	require.Empty(t, ask("shop"))
}

// A search for similar texts ignores the task: a similar text comes before one whose mistake fits.
func TestAlikeIgnoresTheTask(t *testing.T) {
	ix := indexOf(t, taught("e_own", "Compare it with the order.", "金额"), aCase("核对订单的金额。", id("c_one")),
		aCase("核对发票的日期。", id("c_two")))
	for _, q := range []string{"核对订单的金额。", "核对发票的日期。"} {
		r, by := explain(t, ix, Query{Prompt: q, Alike: true})
		require.NotEmpty(t, r.Considered)
		require.Zero(t, signal(by["c_one"], "task"))
		require.Zero(t, signal(by["c_two"], "task"))
	}
}
