package judge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// armResult is the result of one arm for one mistake: the judge's scores on the unchanged and the changed build, with
// the arm's text, with an empty frame instead, and without a text. If an arm has no text for a build, its score is
// that without one.
type armResult struct {
	arm                string
	of                 mistake
	silent             [2]bool
	score, frame, none [2]float64
}

// defective reports whether a build has the defect. Build 0 is unchanged, build 1 changed.
func (x armResult) defective(build int) bool  { return x.of.Defect == (build == 0) }
func (x armResult) shift(build int) float64   { return x.score[build] - x.frame[build] }
func (x armResult) as(s [2]float64) armResult { x.score = s; return x }
func (x armResult) kind() string {
	if x.of.Defect {
		return "missed"
	}
	return "alarm"
}

// selective returns how much further a text moves the build with the defect towards "there
// is a defect" than the build without. Above 0 the text made the judge look; at 0 the judge
// obeyed or ignored it.
func (x armResult) selective() float64 {
	if x.defective(0) {
		return x.shift(0) - x.shift(1)
	}
	return x.shift(1) - x.shift(0)
}

// row is one line of the table.
type row struct {
	kind, arm    string
	n, silent    int // tests; builds without a text
	shift, right [2]float64
	selective, p float64
	apart        float64 // share of the tests whose build with the defect scores higher
}

func (r row) both() float64 { return (r.right[0] + r.right[1]) / 2 }

// table returns the figures of all arms, and whether they reach their minimum.
func table(all []armResult) string {
	cut := medianScore(all)
	var out []row
	for _, kind := range []string{"missed", "alarm"} {
		for _, a := range append([]arm{{name: "none"}, {name: "frame"}}, arms...) {
			var of []armResult
			for _, x := range all {
				switch {
				case x.kind() != kind:
				case x.arm == a.name:
					of = append(of, x)
				case x.arm == arms[0].name && a.name == "none":
					of = append(of, x.as(x.none))
				case x.arm == arms[0].name && a.name == "frame":
					of = append(of, x.as(x.frame))
				}
			}
			if len(of) > 0 {
				out = append(out, sumUp(kind, a.name, of, cut))
			}
		}
	}
	return written(out) + judgeBars(out)
}

// medianScore returns the threshold at which, without a text, half of the builds count as defective.
func medianScore(all []armResult) float64 {
	var s []float64
	for _, x := range all {
		if x.arm == arms[0].name {
			s = append(s, x.none[:]...)
		}
	}
	slices.Sort(s)
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

func sumUp(kind, arm string, of []armResult, cut float64) row {
	r := row{kind: kind, arm: arm, n: len(of)}
	pages := map[string]float64{}
	each := 1 / float64(len(of))
	for _, x := range of {
		for build := range 2 {
			r.silent += count(x.silent[build])
			r.shift[build] += x.shift(build) * each
			r.right[build] += float64(count((x.score[build] > cut) == x.defective(build))) * each
		}
		r.selective += x.selective() * each
		r.apart += float64(count(x.defective(0) == (x.score[0] > x.score[1]))) * each
		pages[x.of.Fam] += x.selective()
	}
	r.p = signFlipP(slices.Sorted(maps.Values(pages)))
	return r
}

// signFlipP is the exact one-sided sign-flip test of a sum above 0. It returns the share of all
// sign combinations whose sum reaches that of values. Each value is the sum over the tests
// of one page, because tests of one page are not independent.
func signFlipP(values []float64) float64 {
	have := 0.0
	for _, v := range values {
		have += v
	}
	const slack = 1e-9 // two orders of adding are one sum
	reach, ways := 0, 1<<len(values)
	for signs := range ways {
		s := 0.0
		for i, v := range values {
			if signs>>i&1 == 1 {
				v = -v
			}
			s += v
		}
		if s >= have-slack {
			reach++
		}
	}
	return float64(reach) / float64(ways)
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

func written(all []row) string {
	var b strings.Builder
	b.WriteString("\n                          shift              selective       right         apart\n")
	fmt.Fprintf(&b, "%-6s %-12s %2s %6s %6s %6s  %6s %6s  %4s %4s %4s\n", "kind", "arm", "n", "silent", "unch.", "chang.",
		"mean", "p", "un.", "ch.", "both")
	for _, r := range all {
		p := fmt.Sprintf("%6.4f", r.p)
		if r.arm == "none" || r.arm == "frame" {
			p = "     -"
		}
		fmt.Fprintf(&b, "%-6s %-12s %2d %6d %+6.2f %+6.2f  %+6.3f %s  %4.2f %4.2f %4.2f  %4.2f\n",
			r.kind, r.arm, r.n, r.silent, r.shift[0], r.shift[1], r.selective, p, r.right[0], r.right[1], r.both(), r.apart)
	}
	return b.String()
}

// judgeBars lists the minimum of each measured arm, and whether it is reached.
func judgeBars(all []row) string {
	var b strings.Builder
	b.WriteString("\n")
	say := func(ok bool, format string, args ...any) {
		b.WriteString(map[bool]string{true: "ok      ", false: "MISSED  "}[ok] + fmt.Sprintf(format, args...) + "\n")
	}
	for _, r := range all {
		switch {
		case r.arm == "actions":
			most := slices.MaxFunc(r.shift[:], func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
			say(math.Abs(most) <= .05, "%s, actions shift no build by more than .05: %+.3f", r.kind, most)
		case r.arm == "facts" && r.kind == "missed":
			say(r.both() >= .75, "missed, facts are judged right on both builds in .75: %.3f", r.both())
			say(r.selective > 0 && r.p < .01, "missed, facts are selective, p below .01: %+.3f, p %.4f", r.selective, r.p)
		case strings.HasPrefix(r.arm, "random"):
			say(r.p >= .01, "%s, %s: not selective: %+.3f, p %.4f", r.kind, r.arm, r.selective, r.p)
		}
	}
	return b.String()
}
