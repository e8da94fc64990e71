package tree

// Excuse is why a run does not show whether its agent judges well, as reported by the test tool. A label that a person
// gives the run outweighs the excuse.
type Excuse string

// The excuses. An empty Excuse means that there is none.
const (
	Healed      Excuse = "healed"      // the tool repaired the test while it ran
	Retried     Excuse = "retried"     // the test passed after attempts that failed
	Environment Excuse = "environment" // no network, missing seed data, a device that was off
)

// Valid reports whether x is one of the excuses.
func (x Excuse) Valid() bool { return x == Healed || x == Retried || x == Environment }
