package ingest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNote: a note is the evaluator's text, never the agent's own.
func TestNote(t *testing.T) {
	run := func(rest string) string { return `{"prompt":"p","judgment":"pass","ground_truth":"fail",` + rest + `}` }
	const said, toast = `"note":"the toast is no proof"`, `"reason":"The toast said Saved"`
	for name, c := range map[string]struct{ fields, reason string }{
		"a note alone":                    {said, "the toast is no proof"},
		"a reason alone":                  {`"reason":"the toast is no proof"`, "the toast is no proof"},
		"both":                            {toast + "," + said, "the toast is no proof"},
		"both, the other way round":       {said + "," + toast, "the toast is no proof"},
		"both alike":                      {`"note":"x y","reason":"x y"`, "x y"},
		"two evaluators":                  {`"note":"b","evaluatorReason":"a"`, "a\nb"},
		"a reason in an evaluation":       {`"note":"b","evaluation":{"reason":"a"}`, "a\nb"},
		"an empty note":                   {`"note":"","reason":"a"`, "a"},
		"no note":                         {`"note":null,"reason":"a"`, "a"},
		"a note that is another tool's":   {`"note":{"by":1},"reason":"a"`, "a"},
		"a note that is a list of things": {`"note":["a"]`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			es, problems := read(t, strings.NewReader(run(c.fields)))
			require.Empty(t, problems)
			require.Equal(t, c.reason, es[0].Reason)
		})
	}
	_, problems := read(t, strings.NewReader(run(`"note":"`+strings.Repeat("x", 1<<20+1)+`"`)))
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "note ")
}

// TestUnread: what is left out of a record is named once a file, with the field that may be meant.
func TestUnread(t *testing.T) {
	file := `{"prompt":"p","judgment":"pass","notes":"a","reson":"b","_x":1,"labels":{"y":1},"zzz":1,"scene":{"zzz":1}}
{"prompt":"p","judgment":"fail","notes":"a","Ground Truth":"fail","reason":"mine","note":"yours","truth":"fail"}
{"prompt":"p","judgment":"fail","reason":"mine","note":"yours"}`
	var got []Unread
	for _, err := range ReadRun("f", strings.NewReader(file), "", func(u Unread) { got = append(got, u) }) {
		require.NoError(t, err)
	}
	require.Equal(t, []Unread{{Field: "notes", Near: "note"}, {Field: "reson", Near: "reason"}, {Field: "zzz"},
		{Field: "Ground Truth", Near: "ground_truth"}, {Field: "truth", Near: "ground_truth"},
		{Field: "reason", Agents: true}}, got)

	var many strings.Builder
	for i := range 100 {
		many.WriteString(`{"prompt":"p","judgment":1,"f` + strings.Repeat("z", i) + `":1}` + "\n")
	}
	got = nil
	for range ReadRun("f", strings.NewReader(many.String()), "", func(u Unread) { got = append(got, u) }) {
	}
	require.Len(t, got, mostUnread)
	for _, known := range []string{"note", "id", "case_id", "scene", "product"} {
		_, ok := spellings()[top][nearField(known)]
		require.True(t, ok, known)
	}
}
