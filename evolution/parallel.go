package evolution

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// grain is how many calls of parallel a core takes at once.
const grain = 16

// parallel calls f with 0 to n−1, on all cores and in no order, and returns when
// all have. Each call writes what is its own alone, so the result is that of a loop.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+grain-1)/grain) {
		all.Go(func() {
			for {
				from := int(next.Add(grain)) - grain
				if from >= n {
					return
				}
				for i := from; i < min(from+grain, n); i++ {
					f(i)
				}
			}
		})
	}
	all.Wait()
}
