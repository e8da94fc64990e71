package llm_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/llm"
)

// failing fails every call with err, if it is set, and counts the calls.
type failing struct {
	calls, now, most atomic.Int64
	err              atomic.Pointer[llm.Error]
}

func (f *failing) Generate(context.Context, llm.Request) (llm.Answer, error) {
	f.calls.Add(1)
	f.most.Store(max(f.most.Load(), f.now.Add(1)))
	defer f.now.Add(-1)
	time.Sleep(time.Second)
	if e := f.err.Load(); e != nil {
		return llm.Answer{}, e
	}
	return llm.Answer{JSON: []byte("{}")}, nil
}

// together makes n calls at once and returns how many failed.
func together(t *testing.T, g llm.Generator, n int) int {
	var failed atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := g.Generate(t.Context(), llm.Request{}); err != nil {
				failed.Add(1)
			}
		})
	}
	all.Wait()
	return int(failed.Load())
}

func TestHalt(t *testing.T) {
	for kind, calls := range map[llm.ErrorKind]int64{
		llm.KindUnauthorised: 1, llm.KindNotFound: 1, llm.KindNotSet: 1, llm.KindBadRequest: 2,
		llm.KindUnavailable: 8, llm.KindRefused: 8, llm.KindMalformed: 8, llm.KindNoAnswer: 8, llm.KindRateLimited: 8,
	} {
		t.Run(string(kind), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &failing{}
				f.err.Store(&llm.Error{Kind: kind, Err: errors.New("no"), Usage: llm.Usage{InputTokens: 7}})
				h := llm.NewHalt(f, time.Now)
				unsent := 0
				for range 8 {
					_, err := h.Generate(t.Context(), llm.Request{})
					require.Equal(t, kind, llm.KindOf(err))
					if e, ok := errors.AsType[*llm.Error](err); ok && e.Unsent {
						unsent++
					}
				}
				require.Equal(t, calls, f.calls.Load())
				require.EqualValues(t, 8-calls, unsent, "what was not sent is no call of a Meter")
				require.Equal(t, calls < 8, h.Halted() != nil)
			})
		})
	}
}

// The first call is made alone; the others run together after it. After some time a call tests whether the error
// persists.
func TestHaltTriesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &failing{}
		f.err.Store(&llm.Error{Kind: llm.KindUnauthorised})
		h := llm.NewHalt(f, time.Now)
		require.Equal(t, 8, together(t, h, 8))
		require.EqualValues(t, 1, f.calls.Load())

		time.Sleep(6 * time.Minute)
		require.Equal(t, 8, together(t, h, 8))
		require.EqualValues(t, 2, f.calls.Load(), "one more, alone")

		f.err.Store(nil)
		require.Equal(t, 1, together(t, h, 1), "not so soon")
		time.Sleep(6 * time.Minute)
		require.Zero(t, together(t, h, 8))
		require.Nil(t, h.Halted())
		require.EqualValues(t, 10, f.calls.Load())
	})
}

func TestHaltListensToItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := llm.NewHalt(&failing{}, time.Now)
		go func() { _, _ = h.Generate(t.Context(), llm.Request{}) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err := h.Generate(ctx, llm.Request{})
		require.Equal(t, llm.KindCancelled, llm.KindOf(err))
		require.Less(t, time.Since(began), 10*time.Millisecond)
		time.Sleep(time.Minute)
	})
}

// deaf does not answer requests with the name "hangs".
type deaf struct{}

func (deaf) Generate(ctx context.Context, r llm.Request) (llm.Answer, error) {
	if r.Name == "hangs" {
		<-ctx.Done()
	}
	return llm.Answer{}, ctx.Err()
}

// A provider that does not answer its first call delays the others only for some seconds.
func TestHaltDoesNotWaitForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := llm.NewHalt(deaf{}, time.Now)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = h.Generate(ctx, llm.Request{Name: "hangs"}) }()
		synctest.Wait()
		began := time.Now()
		_, err := h.Generate(t.Context(), llm.Request{})
		require.NoError(t, err)
		require.Less(t, time.Since(began), 15*time.Second)
		cancel()
	})
}
