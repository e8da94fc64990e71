package main

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
		for _, a := range []*app{{}, {Terminal: screen.Terminal{Live: true}, quiet: true},
			{Terminal: screen.Terminal{Live: true}, json: true}} {
			var out bytes.Buffer
			a.stderr = &out
			p := a.progress("recording", screen.Count)
			time.Sleep(2 * time.Second)
			p.Step(1, 2)
			p.End()
			require.Empty(t, out.String())
		}
	})
}
