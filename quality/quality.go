// Package quality measures how well memtree finds memories, on real data that is not
// part of the repository. Run it with `make quality`. It reads the data from the folder
// that MEMTREE_SHARED names, by default ../shared beside the repository; without that
// folder the tests say so and skip. The figures are golden tables, so that a review
// shows every change of them.
package quality
