package say

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/cli/screen"
)

func TestProgressIsSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, a := range []*Voice{{}, {Terminal: screen.Terminal{Live: true}, Quiet: true},
			{Terminal: screen.Terminal{Live: true}, JSON: true}} {
			var out bytes.Buffer
			a.Stderr = &out
			p := a.Progress("recording", screen.Count)
			time.Sleep(2 * time.Second)
			p.Step(1, 2)
			p.End()
			require.Empty(t, out.String())
		}
	})
}
