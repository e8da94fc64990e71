package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memtree/memtree/effect"
	"github.com/memtree/memtree/enhance"
	"github.com/memtree/memtree/internal/cli/say"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// This file holds the names and figures that several commands print.

// short cuts an id for the screen; memtree show understands the short form.
func short(id string) string { return id[:min(10, len(id))] }

// dotted joins the parts that are not empty.
func dotted(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " · ")
}

func percent(p float64) string { return fmt.Sprintf("%.0f %%", 100*p) }

func percentOf(part, of int) string { return percent(float64(part) / float64(of)) }

func two(f float64) string { return fmt.Sprintf("%.2f", f) }

// typeName returns the name of an error type in the store's taxonomy, for people.
func typeName(v *say.Voice, tax *taxonomy.Taxonomy, id string) string {
	t, _ := tax.ErrorType(id)
	return t.Name.In(v.Lang)
}

// branchName names an error type and a direction for people.
func branchName(v *say.Voice, tax *taxonomy.Taxonomy, id string, d taxonomy.Direction) string {
	return typeName(v, tax, id) + " · " + v.DirectionName(d)
}

func runCount(v *say.Voice, n int) string {
	if n == 1 {
		return v.Say("1 run")
	}
	return v.Say("%d runs", n)
}

// count formats a number of a table. Zero is a dot, so that the other numbers are easy to see.
func count(n int) string {
	if n == 0 {
		return "·"
	}
	return fmt.Sprint(n)
}

// directions returns the directions of a wrong verdict in the order of the tables.
func directions() []taxonomy.Direction {
	return []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other}
}

func shortList(ids []string) string {
	const most = 3
	if len(ids) <= most {
		return strings.Join(ids, ", ")
	}
	return strings.Join(ids[:most], ", ") + fmt.Sprintf(", … (%d)", len(ids))
}

func nonEmpty(list []string) (out []string) {
	for _, s := range list {
		if s = text.Line(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// distinct removes names that are contained in another one, such as a file beside a test of that file.
func distinct(names []string) (out []string) {
	for i, name := range names {
		said := false
		for k, other := range names {
			said = said || k != i && strings.Contains(other, name) && (other != name || k < i)
		}
		if !said {
			out = append(out, name)
		}
	}
	return out
}

// middleCut shortens an id to a number of cells. It removes the middle, because ids of one file often begin alike.
func middleCut(id string, cells int) string {
	r := []rune(id)
	if text.Width(id) <= cells {
		return id
	}
	tail := ""
	for i := len(r) - 1; i >= 0 && text.Width(tail) < cells/2; i-- {
		tail = string(r[i]) + tail
	}
	return text.Fit(id, cells-text.Width(tail)) + tail
}

// unformed reports that some recorded runs are no memories yet. It returns "" if there is none.
func unformed(v *say.Voice, runs int) string {
	if runs == 0 {
		return ""
	}
	return v.Say("Recorded and not looked at yet: %s. They are no memories so far; the next `memtree record` or "+
		"`memtree evolve` goes on with them.", runCount(v, runs))
}

// unformedLines returns the sentence of unformed as lines of an answer.
func unformedLines(v *say.Voice, runs int) []string {
	if runs == 0 {
		return nil
	}
	return v.Wrap(unformed(v, runs))
}

func rightName(v *say.Voice, right bool) string {
	if right {
		return v.Say("right")
	}
	return v.Say("wrong")
}

// sceneTypeName names a scene type for people; "" if the taxonomy does not know it.
func sceneTypeName(v *say.Voice, tax *taxonomy.Taxonomy, word string) string {
	s, _ := tax.SceneType(word)
	return s.Name.In(v.Lang)
}

// kindName names a kind of model error for people.
func kindName(v *say.Voice, k llm.ErrorKind) string {
	return cmp.Or(map[llm.ErrorKind]string{
		llm.KindRateLimited: v.Say("too many requests"), llm.KindUnauthorised: v.Say("key refused"),
		llm.KindNotFound: v.Say("no such model or address"), llm.KindUnavailable: v.Say("not reached"),
		llm.KindTimeout: v.Say("too slow"), llm.KindTruncated: v.Say("cut off"), llm.KindRefused: v.Say("declined"),
		llm.KindNoAnswer: v.Say("no answer of a model"), llm.KindMalformed: v.Say("malformed or not grounded"),
		llm.KindTooLarge: v.Say("too large"), llm.KindBound: v.Say("over the bound"),
		llm.KindBadRequest: v.Say("request not understood"), llm.KindNotRecorded: v.Say("not recorded"),
	}[k], v.Say("other"))
}

// frequent returns the keys, the one with the largest number first.
func frequent[K cmp.Ordered](counts map[K]int) []K {
	return slices.SortedFunc(maps.Keys(counts), func(x, y K) int {
		return cmp.Or(counts[y]-counts[x], cmp.Compare(x, y))
	})
}

// someOf joins the first names, with an ellipsis if there are more.
func someOf(names []string) string {
	const most = 3
	if len(names) > most {
		return strings.Join(names[:most], ", ") + ", …"
	}
	return strings.Join(names, ", ")
}

// tallied lists names with their counts, sorted by name.
func tallied(m map[string]int) string {
	parts := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%s %d", text.Line(k), m[k]))
	}
	return strings.Join(parts, ", ")
}

// emptyNotNull returns a list that JSON writes as [] where it is empty.
func emptyNotNull[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return slices.Clip(list)
}

func polarityName(v *say.Voice, p judgment.Polarity) string {
	switch p {
	case judgment.Passes:
		return v.Say("pass")
	case judgment.Fails:
		return v.Say("fail")
	case judgment.Unread:
	}
	return "-"
}

// judgedName is the verdict of a run, pass or fail; - if it cannot be read.
func judgedName(v *say.Voice, e *tree.Evaluation) string {
	return polarityName(v, judgment.PolarityOf(judgment.Decode(e.Judgment)))
}

// standingOf describes whether a memory is in use, and if not, why.
func standingOf(v *say.Voice, status tree.Status, mark tree.Mark, held *tree.Held) string {
	switch {
	case held != nil && status == tree.Quarantined:
		return v.Say("quarantined since %s", held.Since.Format("2006-01-02"))
	case held != nil:
		return v.Say("retired since %s", held.Since.Format("2006-01-02"))
	case effect.Given(status, mark):
		return v.Say("in use")
	case mark == tree.Banned:
		return v.Say("banned by a person")
	}
	return v.Say("not in use (%s)", status)
}

// levelCounts names how many memories are in use, by level, and how many are not.
func levelCounts(v *say.Voice, levels [4]int, out int) string {
	in := v.Say("cases %d · experiences %d · strategies %d", levels[1], levels[2], levels[3])
	if out == 0 {
		return in
	}
	return dotted(in, v.Say("not in use %d", out))
}

// nameOf returns a text by which people recognise a memory.
func nameOf(v *say.Voice, tax *taxonomy.Taxonomy, n *tree.Node) string {
	if n.Decision != nil && n.Decision.Purged {
		return n.ErrorType
	}
	says := enhance.NewWording(tax).Shown(n, v.Lang).Content
	return cmp.Or(says.Title, says.Description, says.Guidance, n.ErrorType)
}

// place names the test that a memory applies to, and its neighbours in the suite. It returns "" if the memory applies
// to no one test.
func place(v *say.Voice, s *tree.Scope) string {
	test, i := s.PlaceTest(), s.Position
	first, last := i == 0, i == len(s.SuiteTests)-1
	switch {
	case test == "" || first && last:
		return test
	case first:
		return v.Say("%s, first, before %s", test, s.SuiteTests[i+1])
	case last:
		return v.Say("%s, last, after %s", test, s.SuiteTests[i-1])
	}
	return v.Say("%s, after %s and before %s", test, s.SuiteTests[i-1], s.SuiteTests[i+1])
}
