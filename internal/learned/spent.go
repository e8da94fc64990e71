package learned

import (
	"errors"
	"io"
	"sync"
	"time"

	"github.com/memtree/memtree/llm"
	"github.com/memtree/memtree/llm/meter"
	"github.com/memtree/memtree/store"
)

// SpentBox counts the calls of models and the tokens that they used, over all processes that used the store.
type SpentBox struct {
	since time.Time // start of this process's count

	mu     sync.Mutex
	meters []namedMeter // in front of models
	before meter.Totals // totals before since
}

// namedMeter is a meter without limits in front of a model.
type namedMeter struct {
	*meter.Meter
	model string // "" if unknown
}

// NewSpent returns a SpentBox without calls, whose count begins at the time now.
func NewSpent(now time.Time) *SpentBox { return &SpentBox{since: now} }

// Counting returns a generator that passes requests on to the generator of, and counts them in s. If of replays
// recordings, Counting returns it unchanged.
func (s *SpentBox) Counting(of llm.Generator) llm.Generator {
	if llm.Plays(of) {
		return of
	}
	return s.add(meter.New(of, meter.Options{}), llm.NameOf(of))
}

// CountingTexts returns an embedder that passes texts on to the embedder of, and counts the calls in s. If of replays
// recordings, CountingTexts returns it unchanged.
func (s *SpentBox) CountingTexts(of llm.Embedder) llm.Embedder {
	if llm.Plays(of) {
		return of
	}
	return s.add(meter.New(nil, meter.Options{}), of.ID()).Embedder(of, nil)
}

func (s *SpentBox) add(m *meter.Meter, model string) *meter.Meter {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meters = append(s.meters, namedMeter{m, model})
	return m
}

// Total returns the calls and tokens of each model, including those of earlier processes.
func (s *SpentBox) Total() meter.Totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.before
	for _, m := range s.meters {
		all = all.Add(m.model, m.Total(), s.since)
	}
	return all
}

// Name returns "spent".
func (*SpentBox) Name() string { return "spent" }

// Changes returns a number that grows with each call and each request refused for a limit.
func (s *SpentBox) Changes() (n uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.meters {
		now := m.Total()
		n += uint64(now.Calls + now.Beyond) //nolint:gosec // neither is negative
	}
	return n
}

// Purge does nothing: the count contains no text.
func (*SpentBox) Purge(*store.Purge) {}

// Load reads the totals of earlier processes, as Save wrote them. After an error the totals are as before.
func (s *SpentBox) Load(r io.Reader) error {
	b, err := io.ReadAll(io.LimitReader(r, meter.MostTotals+1))
	if err != nil {
		return errors.Join(errors.New("load what models were asked"), err)
	}
	before, err := meter.ParseTotals(b)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = before
	return nil
}

// Save writes as JSON how many calls of models were made and tokens used, by this process and all earlier ones.
func (s *SpentBox) Save(w io.Writer) error { return saveJSON(w, s.Total()) }
