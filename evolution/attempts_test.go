package evolution

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

// A failure of one request is no reason against the others; a model that gives no answer three times in a row is not
// called again.
func TestOneRequestIsNotTheModel(t *testing.T) {
	for kind, goesOn := range map[llm.ErrorKind]bool{
		llm.KindRefused: true, llm.KindTruncated: true, llm.KindTooLarge: true, llm.KindNotRecorded: true,
		llm.KindTimeout: false, llm.KindNoAnswer: false,
	} {
		w := &planner{o: PlanOptions{Attempts: &Attempts{}}}
		for i := range mostInRow {
			require.False(t, w.o.Attempts.has("next"), kind)
			w.failed([]string{fmt.Sprint(i)}, &llm.Error{Kind: kind})
			require.True(t, w.o.Attempts.has(fmt.Sprint(i)), "it is asked for once")
		}
		require.Equal(t, goesOn, !w.o.Attempts.has("next"), kind)
		require.Len(t, w.notes, 1)
	}
}
