package look

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/fixtures"
	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/prompts"
	"github.com/memtree/memtree/tree"
)

// shownRun is a question about a real run.
type shownRun struct {
	evidence, task, claim string
	*quotes
}

// shownRuns returns what a reader is shown of the runs that ship: what was seen, and logs of agents.
func shownRuns(t *testing.T) (out []shownRun) {
	t.Helper()
	names, err := fs.Glob(fixtures.Files, "*.jsonl")
	require.NoError(t, err)
	for _, name := range names {
		b, err := fs.ReadFile(fixtures.Files, name)
		require.NoError(t, err)
		for line := range strings.Lines(string(b)) {
			var e tree.Evaluation
			if json.Unmarshal([]byte(line), &e) != nil {
				continue // a step of a script, no run
			}
			if log, is := judgment.Decode(e.Judgment).(string); is && e.Observation == "" {
				e.Observation, e.Judgment = log, tree.Raw(`{"verdict":"pass"}`)
			}
			if e.Observation == "" {
				continue
			}
			in := question(&e, nil)
			out = append(out, shownRun{in.Shown(), in.Asked(), in.Claim, newQuotes(in.Shown(), in.Asked())})
		}
	}
	require.Greater(t, len(out), 200)
	return out
}

// adversary makes up quotations of a run. Each returns one that is not in the evidence, or that is there only because
// something was cut off; "" where the run gives no such thing.
type adversary struct{ *rand.Rand }

// span returns some of the words of a text, at least n.
func (a adversary) span(s string, n int) (words []string) {
	all := strings.Fields(s)
	if len(all) < n {
		return nil
	}
	n += a.IntN(min(8, len(all)-n+1))
	at := a.IntN(len(all) - n + 1)
	return slices.Clone(all[at : at+n])
}

var negation = regexp.MustCompile(`(?i)\b(?:not|never|cannot|no|without|unable)\b ?|n't\b ?|没有|未|不`)

// kinds are the ways to make a quotation up. Those of cut are in the evidence word for word.
func (a adversary) kinds() (made, cut map[string]func(r *shownRun) string) {
	other := strings.Fields("not successfully never always 13 completed posted order confirmed page button shown failed")
	made = map[string]func(r *shownRun) string{
		"shuffled": func(r *shownRun) string {
			s := a.span(r.evidence, 4)
			a.Shuffle(len(s), func(i, j int) { s[i], s[j] = s[j], s[i] })
			return strings.Join(s, " ")
		},
		"another word": func(r *shownRun) string {
			if s := a.span(r.evidence, 4); s != nil {
				s[a.IntN(len(s))] = other[a.IntN(len(other))]
				return strings.Join(s, " ")
			}
			return ""
		},
		"a word more": func(r *shownRun) string {
			if s := a.span(r.evidence, 4); s != nil {
				return strings.Join(slices.Insert(s, 1+a.IntN(len(s)-1), other[a.IntN(len(other))]), " ")
			}
			return ""
		},
		"a word less": func(r *shownRun) string {
			if s := a.span(r.evidence, 4); s != nil {
				at := 1 + a.IntN(len(s)-2)
				return strings.Join(slices.Delete(s, at, at+1), " ")
			}
			return ""
		},
		"no negation": func(r *shownRun) string {
			all := negation.FindAllStringIndex(r.evidence, -1)
			if all == nil {
				return ""
			}
			at := all[a.IntN(len(all))]
			from, to := strings.LastIndexByte(r.evidence[:at[0]], '\n')+1, at[1]+strings.IndexByte(r.evidence[at[1]:]+"\n", '\n')
			return r.evidence[from:at[0]] + r.evidence[at[1]:to]
		},
		"joined from two places": func(r *shownRun) string {
			x, y := a.span(r.evidence, 3), a.span(r.evidence, 3)
			glue := []string{" ", " … ", " [...] ", " and ", "，"}[a.IntN(5)]
			return strings.Join(x, " ") + glue + strings.Join(y, " ")
		},
		"another number": func(r *shownRun) string {
			s := strings.Join(a.span(r.evidence, 4), " ")
			to := strings.Map(func(r rune) rune {
				if r >= '0' && r <= '8' {
					return r + 1
				}
				return r
			}, s)
			if to == s {
				return ""
			}
			return to
		},
		"of the claim": func(r *shownRun) string { return strings.Join(a.span(r.claim, 4), " ") },
		"of the question": func(r *shownRun) string {
			p, err := prompts.Load().Look(prompts.LookInput{Lang: text.Lang(r.task), Task: "-", Evidence: "-", Claim: "-"})
			if err != nil {
				return ""
			}
			return strings.Join(a.span(p.System+" "+p.Text, 4), " ")
		},
	}
	return made, a.cuts()
}

// fronts turn round or leave open what follows them.
var fronts = []string{
	"It is not true that ", "I was unable to confirm that ", "Nobody could see that ", "It failed to show ",
	"There is no sign of ", "I don't see that ", "It is unclear whether ", "I doubt that ", "It is false that ",
	"If I had seen ", "It is done if ", "The task never asked for ",
	"页面没有显示 ", "无法确认 ", "如果", "尚未看到 ", "并不是 ", "未能确认：“", "是否",
}

// cuts are quotations that a look for the words alone would accept.
func (a adversary) cuts() map[string]func(r *shownRun) string {
	return map[string]func(r *shownRun) string{
		"behind a negation": func(r *shownRun) string {
			said := cutAtMark(strings.Join(a.span(r.evidence, 6), " "))
			*r = r.with(fronts[a.IntN(len(fronts))] + said)
			return said
		},
		"before a negation": func(r *shownRun) string {
			s := cutAtMark(strings.Join(a.span(r.evidence, 4), " "))
			*r = r.with(s + []string{" not", ": no", " 没有成功", " failed"}[a.IntN(4)])
			return s
		},
		"half a number": func(r *shownRun) string {
			s := strings.Join(a.span(r.evidence, 4), " ")
			number := fmt.Sprintf("%d.%02d", 10+a.IntN(90), a.IntN(100))
			*r = r.with(s + " " + number + " in all " + s)
			return []string{s + " " + number[:2], number[3:] + " in all " + s, s + " " + number[:4]}[a.IntN(3)]
		},
		"half a word": func(r *shownRun) string {
			s := strings.Join(a.span(r.evidence, 4), " ")
			*r = r.with("un" + s + "x")
			if first, last := []rune(s), []rune(s); len(s) == 0 || !latin(first[0]) || !latin(last[len(last)-1]) {
				return ""
			}
			return s
		},
		"three characters": func(r *shownRun) string {
			all := []rune(strings.Join(strings.Fields(r.evidence), " "))
			at := a.IntN(max(1, len(all)-3))
			return string(all[at:min(len(all), at+3)])
		},
		"of the task": func(r *shownRun) string {
			s := strings.Join(a.span(r.task, 4), " ")
			*r = r.with(r.evidence + "\n" + r.task)
			return s
		},
		"over a gap": func(r *shownRun) string {
			x, y := strings.Join(a.span(r.evidence, 3), " "), strings.Join(a.span(r.evidence, 3), " ")
			*r = r.with(x + "\n" + withheld + "\n" + y)
			return x + " " + withheld + " " + y
		},
	}
}

// with returns the run with other evidence.
func (r *shownRun) with(evidence string) shownRun {
	return shownRun{evidence, r.task, r.claim, newQuotes(evidence, r.task)}
}

func latin(r rune) bool { return r < 0x250 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }

// cutAtMark returns a text up to its first mark, within which a negation reaches.
func cutAtMark(s string) string {
	s = regexp.MustCompile(`(?i)[.!?;:,。！？；：，、"“”()（）\[\]{}|–—>=-].*|\b(?:and|but|so|then|because)\b.*|[但而却].*`).
		ReplaceAllString(s, "")
	return strings.TrimSpace(s)
}

// disguised returns a text in other case, width or white space, which changes nothing about what it says.
func (a adversary) disguised(s string) string {
	if strings.Contains(s, `\`) {
		return s // an escape in other case is another one
	}
	switch a.IntN(5) {
	case 0:
		return strings.ToUpper(s)
	case 1:
		return strings.Map(func(r rune) rune {
			if r > ' ' && r <= '~' && r != '\'' && r != '"' && r != '`' && r != '\\' {
				return r + '！' - '!'
			}
			return r
		}, s)
	case 2:
		return strings.ReplaceAll(s, " ", " \u200b\n ")
	case 3:
		return "“" + s + "”"
	}
	return s
}

// plain is what a look for the words alone compares: no more than case, width and white space apart.
func plain(s string) string { return strings.Trim(folded(s), ` "'.…`) }

// TestAdversary: of the quotations that an adversary or a weak reader makes up from real evidence none passes. Some of
// them are in the evidence word for word, so that a look for the words alone is not enough. Sentences that are really
// there pass in every disguise.
func TestAdversary(t *testing.T) {
	const seed = 6
	t.Logf("seed %d", seed)
	a := adversary{rand.New(rand.NewPCG(seed, seed))}
	runs := shownRuns(t)
	made, cut := a.kinds()
	tried, contained := map[string]int{}, 0
	for _, kinds := range []map[string]func(*shownRun) string{made, cut} {
		for _, name := range slices.Sorted(maps.Keys(kinds)) {
			for n := 0; tried[name] < 150 && n < 20_000; n++ {
				r := runs[a.IntN(len(runs))]
				s := kinds[name](&r)
				there := strings.Contains(r.quotes.evidence, plain(s))
				weigh, _ := weight(s)
				again := strings.Count(r.quotes.evidence, plain(s)) > 1 // once as it is meant, perhaps
				if name != "three characters" && (weigh < leastQuote || again) || there && made[name] != nil {
					continue // too short for a quotation, or there after all
				}
				tried[name]++
				if there {
					contained++
				}
				s = a.disguised(s)
				require.False(t, r.found(s), "%s: %q passes as a quotation of %q", name, s, r.evidence)
			}
			require.GreaterOrEqual(t, tried[name], 40, name)
		}
	}
	require.Greater(t, contained, 500, "in the evidence word for word")
	all := 0
	for _, n := range tried {
		all += n
	}
	require.Greater(t, all, 1000)
	t.Logf("%d made-up quotations, %d of them word for word in the evidence: %v", all, contained, tried)

	real := 0
	for _, r := range runs {
		for _, s := range text.Sentences(r.evidence) {
			if n, _ := weight(s); n < leastQuote || strings.Contains(s, withheld) || strings.Contains(plain(r.task), plain(s)) {
				continue
			}
			real++
			require.True(t, r.found(s), "%q is in %q", s, r.evidence)
			require.True(t, r.found(a.disguised(s)), "%q is in %q", s, r.evidence)
		}
	}
	t.Logf("%d true quotations", real)
	require.Greater(t, real, 300)
}
