package memtree_test

import (
	"math/rand/v2"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/ingest"
	"github.com/memtree/memtree/transfer"
	"github.com/memtree/memtree/tree"
)

func grown(t *testing.T, runs []tree.Evaluation) *memtree.Memory {
	m := open(t, t.TempDir(), nil)
	_, err := m.RecordAll(t.Context(), runs)
	require.NoError(t, err)
	require.NoError(t, m.Wait(t.Context()))
	_, err = m.Evolve(t.Context(), nil)
	require.NoError(t, err)
	return m
}

// uncued are the shapes of persons of which some are in running text without a cue before or after.
var uncued = map[string]bool{
	"name": true, "name field": true, "address": true, "zh name 客户“%s”的合计不对": true, "zh name 患者%s，已挂号": true,
	"zh name 收货人%s的订单没有显示": true, "zh name 请核对%s女士的积分": true,
}

// TestRedactPersons plants 500 invented persons, addresses and numbers, each in the evidence of
// one test. A redacted export has none of them, and an export without redaction has all. With cases
// it has none that has a shape, a field or a cue of its own.
func TestRedactPersons(t *testing.T) {
	const many, seed = 500, 1
	p := people{rand.New(rand.NewPCG(seed, 2))}
	var all []planted
	var runs []tree.Evaluation
	shapes := map[string]int{}
	for i := range many {
		x := p.make()
		all, runs = append(all, x), append(runs, x.run(i))
		shapes[x.shape]++
	}
	m := grown(t, runs)
	whole := plain(t, exported(t, m, nil))
	for _, o := range []*transfer.ExportOptions{{Redact: true}, {Redact: true, Cases: true}} {
		redacted := exported(t, m, o)
		file := plain(t, redacted)
		left := map[string]int{}
		for i, x := range all {
			require.Contains(t, whole, x.secret[0])
			for _, s := range x.secret {
				if at := strings.Index(file, s); at >= 0 {
					left[x.shape]++
					require.True(t, o.Cases && uncued[x.shape], "%d %s: %q of %q (%s %s) is left: …%s…", i, x.shape, s, x.text,
						x.field, x.value, file[max(0, at-60):at+len(s)+30])
					break
				}
			}
		}
		t.Logf("cases %t: left of %d: %v", o.Cases, many, left)
		require.Equal(t, redacted, exported(t, m, o), "equal trees, equal bytes")
		again := open(t, t.TempDir(), nil)
		imported(t, again, redacted, &transfer.ImportOptions{Trust: true})
		lawful(t, again)
		require.Equal(t, redacted, exported(t, again, o), "redacting twice changes nothing more")
	}
	t.Log(shapes)
}

// TestRedactRuns: a redacted export of real runs of tool agents names no user, order or street. With cases it names
// none where a shape or the name of a field identifies it.
func TestRedactRuns(t *testing.T) {
	m := grown(t, samples(t, "fixtures/tau.jsonl"))
	whole := plain(t, exported(t, m, nil))
	file := plain(t, exported(t, m, &transfer.ExportOptions{Redact: true}))
	cases := plain(t, exported(t, m, &transfer.ExportOptions{Redact: true, Cases: true}))
	for name, shape := range map[string]string{
		"users":        `\b[a-z]+_[a-z]+_\d{4}\b`,
		"orders":       `#?W\d{7}`,
		"streets":      `\b[A-Z][a-z]+ (Street|St|Drive|Lane|Avenue|Road|Boulevard)\b`,
		"reservations": `reservation_id\\*": ?\\*"[A-Z0-9]{6}`,
		"fields":       `(first_name|last_name|dob|zip|address1|payment_id|user_id|order_id)\\*": ?\\*"[^"\\[]+`,
	} {
		find := regexp.MustCompile(shape)
		said := map[string]bool{}
		for _, s := range find.FindAllString(whole, -1) {
			said[strings.TrimPrefix(s[strings.LastIndexByte(s, '"')+1:], "#")] = true
		}
		require.NotEmpty(t, said, name)
		left := 0
		for s := range said {
			word := regexp.MustCompile(`\b` + regexp.QuoteMeta(s) + `\b`)
			require.False(t, word.MatchString(file), "%s: %s is left", name, s)
			if word.MatchString(cases) {
				left++
			}
		}
		t.Logf("%s: left 0 of %d; with cases %d, as running text", name, len(said), left)
		require.Empty(t, find.FindAllString(cases, -1), name)
	}
}

func samples(t testing.TB, name string) []tree.Evaluation {
	f, err := os.Open(name)
	require.NoError(t, err)
	defer f.Close()
	var all []tree.Evaluation
	for e, err := range ingest.Read(name, f) {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

// TestRedactedGuides: a redacted export is still useful. Imported and promoted elsewhere, it answers the queries that
// the first tree answers, and few words of the tasks are gone.
func TestRedactedGuides(t *testing.T) {
	t.Run("lessons", func(t *testing.T) { redactedGuides(t, &transfer.ExportOptions{Redact: true}, .4) })
	t.Run("cases", func(t *testing.T) { redactedGuides(t, &transfer.ExportOptions{Redact: true, Cases: true}, .9) })
}

// redactedGuides measures how many of the questions are answered still, of which least is the least share: a
// case that no lesson rests on answers a question too, and does not leave with lessons alone.
func redactedGuides(t *testing.T, o *transfer.ExportOptions, least float64) {
	runs := append(samples(t, "fixtures/shop.jsonl"), samples(t, "cmd/memtree/rooms.jsonl")...)
	first, second := grown(t, runs), open(t, t.TempDir(), nil)
	file := exported(t, first, o)
	require.NotContains(t, plain(t, file), "[name ")
	imported(t, second, file, nil)
	s, err := first.Transfer().Export(t.Context(), nil)
	require.NoError(t, err)
	for origin := range s.Summary.Origins {
		_, err := second.Transfer().Promote(t.Context(), &transfer.PromoteOptions{Origin: origin})
		require.NoError(t, err)
	}
	had, has := 0, 0
	for _, e := range runs {
		q := memtree.Query{Prompt: e.Prompt, Scene: tree.Scene{Route: e.Scene.Route, Type: e.Scene.Type}}
		a, err := first.Guide(t.Context(), q)
		require.NoError(t, err)
		b, err := second.Guide(t.Context(), q)
		require.NoError(t, err)
		if a.Text != "" {
			had++
			if b.Text != "" {
				has++
			}
		}
	}
	t.Logf("guidance for %d of %d", has, had)
	require.NotZero(t, had)
	require.GreaterOrEqual(t, float64(has), least*float64(had))
}
