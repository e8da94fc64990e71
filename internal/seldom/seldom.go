// Package seldom decides how often a failure that continues is logged.
package seldom

import "time"

// The first time between two lines of the log about the same failure, and the longest.
const (
	first   = time.Minute
	longest = time.Hour
)

// Failure decides when to log one kind of failure. The first one is logged at once. Later ones are logged only after a
// pause, which doubles each time, from a minute to an hour. If no failure occurs for as long again after a pause, the
// next one counts as the first. The zero value is ready for use. It is not safe for concurrent use.
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
