package memtree_test

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree"
	"github.com/memtree/memtree/fixtures"
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

// TestRedactPersons plants 500 invented persons, addresses and numbers, each in the evidence of
// one test. A redacted export has none of them, and an export without redaction has all.
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
	redacted := exported(t, m, &transfer.ExportOptions{Redact: true})
	file, whole := plain(t, redacted), plain(t, exported(t, m, nil))
	left := 0
	for i, x := range all {
		for _, s := range x.secret {
			if !strings.Contains(file, s) {
				continue
			}
			left++
			at := strings.Index(file, s)
			t.Errorf("%d %s: %q of %q (%s %s) is left: …%s…", i, x.shape, s, x.text, x.field, x.value,
				file[max(0, at-60):at+len(s)+30])
		}
		require.Contains(t, whole, x.secret[0])
	}
	t.Logf("left %d of %d; %v", left, many, shapes)
	require.Equal(t, redacted, exported(t, m, &transfer.ExportOptions{Redact: true}), "equal trees, equal bytes")
	again := open(t, t.TempDir(), nil)
	imported(t, again, redacted, &transfer.ImportOptions{Trust: true})
	lawful(t, again)
	require.Equal(t, redacted, exported(t, again, &transfer.ExportOptions{Redact: true}),
		"redacting twice changes nothing more")
}

// TestRedactRuns: a redacted export of real runs of tool agents names no user, order or street.
func TestRedactRuns(t *testing.T) {
	m := grown(t, samples(t, "tau.jsonl"))
	whole := plain(t, exported(t, m, nil))
	file := plain(t, exported(t, m, &transfer.ExportOptions{Redact: true}))
	for name, shape := range map[string]string{
		"users":        `\b[a-z]+_[a-z]+_\d{4}\b`,
		"orders":       `#?W\d{7}`,
		"streets":      `\b[A-Z][a-z]+ (Street|St|Drive|Lane|Avenue|Road|Boulevard)\b`,
		"reservations": `reservation_id\\*": ?\\*"[A-Z0-9]{6}`,
		"fields":       `(first_name|last_name|dob|zip|address1|payment_id|user_id|order_id)\\*": ?\\*"[^"\\]+`,
	} {
		said := map[string]bool{}
		for _, s := range regexp.MustCompile(shape).FindAllString(whole, -1) {
			s = s[strings.LastIndexByte(s, '"')+1:]
			said[s] = true
		}
		require.NotEmpty(t, said, name)
		left := 0
		for s := range said {
			if regexp.MustCompile(`\b` + regexp.QuoteMeta(strings.TrimPrefix(s, "#")) + `\b`).MatchString(file) {
				left++
				t.Logf("%s: %s is left", name, s)
			}
		}
		t.Logf("%s: left %d of %d", name, left, len(said))
		require.Zero(t, left, name)
	}
}

func samples(t testing.TB, name string) []tree.Evaluation {
	f, err := fixtures.Files.Open(name)
	require.NoError(t, err)
	defer f.Close()
	var all []tree.Evaluation
	for e, err := range ingest.Read(name, f) {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

// TestRedactedGuides: a redacted export is still useful. Imported and promoted elsewhere, it
// answers the questions that the first tree answers, and few words of the tasks are gone.
func TestRedactedGuides(t *testing.T) {
	runs := append(samples(t, "shop.jsonl"), samples(t, "rooms.jsonl")...)
	first, second := grown(t, runs), open(t, t.TempDir(), nil)
	file := exported(t, first, &transfer.ExportOptions{Redact: true})
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
	require.GreaterOrEqual(t, has, had*9/10)
}
