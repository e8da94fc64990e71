package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"slices"
)

// collectLate makes the first garbage collection come at 64 MB of memory in place of 4 MB: most commands need less, and
// collect nothing. From then on it is as usual. GOGC, if it is set, decides in its place.
func collectLate() {
	if os.Getenv("GOGC") != "" {
		return
	}
	usual := debug.SetGCPercent(1600) // of the least heap, 4 MB
	first := new([16]byte)            // it goes with the first collection
	runtime.AddCleanup(first, func(usual int) { debug.SetGCPercent(usual) }, usual)
}

// sampleNothing ends the sampling of what is allocated, a thirtieth of a short command. Only a service shows the
// samples.
func sampleNothing() {
	if !slices.Contains(os.Args, "serve") {
		runtime.MemProfileRate = 0
	}
}
