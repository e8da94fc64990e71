package tree

// Excuse is why a run shows nothing about its judge, as noted by the tool that ran it. A person's label of the run
// outweighs it.
type Excuse string

// The excuses.
const (
	Healed      Excuse = "healed"      // the tool repaired the test while it ran
	Retried     Excuse = "retried"     // the test passed after attempts that failed
	Environment Excuse = "environment" // no network, missing seed data, a device that was off
)

// Valid reports whether x is one of the excuses.
func (x Excuse) Valid() bool { return x == Healed || x == Retried || x == Environment }
