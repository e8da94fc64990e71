package tree

// Excuse is why a run does not show whether its agent judges well, as the test tool noted. A person's label of the run
// outweighs it.
type Excuse string

// The excuses. An empty Excuse is none.
const (
	Healed      Excuse = "healed"      // the tool repaired the test while it ran
	Retried     Excuse = "retried"     // the test passed after attempts that failed
	Environment Excuse = "environment" // no network, missing seed data, a device that was off
)

// Valid reports whether x is one of the excuses.
func (x Excuse) Valid() bool { return x == Healed || x == Retried || x == Environment }
