package evolution

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// causeChecks is an overlay with k checks t_c0, t_c1 and so on, of all error types.
func causeChecks(k int) string {
	types := taxonomy.Default().ErrorTypes()
	var b strings.Builder
	b.WriteString("checks:\n")
	for i := range k {
		kind := types[i%8].ID
		fmt.Fprintf(&b, "  - id: t_c%d\n    errorTypes: [%s]\n    name: {en: Check %d}\n", i, kind, i)
		for _, d := range []string{"missed", "alarm"} {
			fmt.Fprintf(&b, "    %s:\n      title: {en: The %s was not looked at}\n      do: {en: "+
				"Look at the %s before you judge anything else.}\n      mistake: {en: Nobody looked at the %s.}\n      when: "+
				"{en: a task is about the %s of a page}\n",
				d, word(i), word(i), word(i), word(i))
		}
		fmt.Fprintf(&b, "    said: [{weight: 10, say: [%s]}]\n", word(100*i))
	}
	return b.String()
}

// word is a made-up word, always the same for a number.
func word(seed int) string {
	w := rand.New(rand.NewPCG(uint64(seed), 3))
	b := make([]byte, 4+w.IntN(5))
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz"[w.IntN(26)]
	}
	return "q" + string(b)
}

// many returns n cases of k made-up causes, each with words of its own. The
// first eight causes are checks of causeChecks, of the others no check is known
// and most people gave the same hint; every fifth case has a second miss.
func many(n, k int) []tree.Node {
	const known = 8
	r := rand.New(rand.NewPCG(7, uint64(n)))
	types := taxonomy.Default().ErrorTypes()
	directions := []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail}
	of := func(c int) tree.Miss {
		said := "The agent"
		for j := range 8 {
			if r.IntN(8) > 0 {
				said += " " + word(100*c+j)
			} else {
				said += " " + word(1_000_000+r.IntN(5000))
			}
		}
		m := tree.Miss{ErrorType: types[c%8].ID, How: said + ".", From: tree.FromPerson, Sure: 0.7}
		switch {
		case c < known:
			m.Check = fmt.Sprint("t_c", c)
		case r.IntN(10) > 0:
			m.Instead = "Hold the " + word(100*c) + " of the page beside the design before you call it the same."
		}
		return m
	}
	out := make([]tree.Node, n)
	for i := range out {
		c := r.IntN(k)
		misses := []tree.Miss{of(c)}
		if c < known && i%5 == 0 {
			misses = append(misses, of((c+2)%known))
		}
		out[i] = as(made(1000+i, misses...), func(n *tree.Node) {
			n.Direction = directions[c%2]
			n.CaseData.TestCase.Prompt = "Check the " + word(c) + " of page " + word(1_000_000+r.IntN(5000)) + "."
		})
	}
	return out
}
