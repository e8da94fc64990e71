package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/say"
)

// FuzzFrozenQuestions: a list is refused with a sentence, or its prompts are not empty and occur once.
func FuzzFrozenQuestions(f *testing.F) {
	for _, s := range []string{
		"Check the cart\n", "{\"prompt\":\"x\",\"scene\":{\"route\":\"/cart\"}}\nx\nx", "{}",
		"{\"prompt\":7}", "\ufeffx", "\xff", "{",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		a, _ := inTest()
		qs, err := parseQuestions(a.Voice, "f", bytes.NewReader(b))
		if err != nil {
			require.IsType(t, &say.Failure{}, err)
			return
		}
		require.NotEmpty(t, qs)
		seen := map[frozenKey]bool{}
		for _, q := range qs {
			require.NotEmpty(t, q.Prompt)
			require.False(t, seen[q.key()])
			seen[q.key()] = true
		}
	})
}
