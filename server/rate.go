package server

import (
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// rates limits the requests of each token. It has at most one limiter for each token ever used.
type rates struct {
	every rate.Limit
	burst int
	mu    sync.Mutex
	of    map[string]*rate.Limiter // by the hash of the token
}

func newRates(perSecond float64) *rates {
	return &rates{every: rate.Limit(perSecond), burst: max(1, int(math.Ceil(perSecond))), of: map[string]*rate.Limiter{}}
}

// take counts a request. It returns the seconds after which a retry makes sense, 0 if this one may proceed.
func (r *rates) take(c *caller, now time.Time) int {
	key := ""
	if c.token != nil {
		key = c.token.SHA256
	}
	r.mu.Lock()
	l := r.of[key]
	if l == nil {
		l = rate.NewLimiter(r.every, r.burst)
		r.of[key] = l
	}
	r.mu.Unlock()
	ask := l.ReserveN(now, 1)
	wait := ask.DelayFrom(now)
	if wait <= 0 {
		return 0
	}
	ask.CancelAt(now)
	return int(math.Ceil(wait.Seconds()))
}
