// Package seldom decides how often a failure that continues is logged.
package seldom

import "time"

// The first time between two lines of the log about the same failure, and the longest.
const (
	first   = time.Minute
	longest = time.Hour
)

// Failure decides when to log one kind of failure: at once, and while it continues, after times that double from a
// minute to an hour. If it did not occur for that time, the next one counts as new. The zero value is ready. It is not
// safe for concurrent use.
type Failure struct {
	next time.Time
	rest time.Duration
}

// Due reports whether to log the failure, which occurred at the time now.
func (f *Failure) Due(now time.Time) bool {
	if now.Before(f.next) {
		return false
	}
	if now.Sub(f.next) > f.rest { // it was not there meanwhile, and is new
		f.rest = 0
	}
	f.rest = min(max(first, 2*f.rest), longest)
	f.next = now.Add(f.rest)
	return true
}
