package effect

// Withheld is why a run receives no guidance although memories fit.
type Withheld string

// The reasons to withhold guidance.
const (
	// ByChance: chance chose this run to go without guidance, so that other runs can be compared with it.
	ByChance Withheld = "holdout"
	// ByBreaker: runs with memory went worse. After the tree has evolved, half of the runs receive guidance again.
	ByBreaker Withheld = "breaker"
)
