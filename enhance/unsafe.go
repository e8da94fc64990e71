package enhance

import "github.com/memtree/memtree/guard"

// Unsafe reports whether a text may not be shown to an agent, whatever test it is
// shown for. It is guard.Unsafe.
func Unsafe(s string) (reason string, unsafe bool) { return guard.Unsafe(s) }
