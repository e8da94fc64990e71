package effect

// Withheld is the reason why guidance is withheld although memories fit.
type Withheld string

// The reasons.
const (
	// ByChance withholds guidance from this run, drawn at random, so that other runs can be compared with it.
	ByChance Withheld = "holdout"
	// ByBreaker withholds guidance because memory did more harm than good. Once the tree has learned, guidance returns
	// on trial.
	ByBreaker Withheld = "breaker"
)
