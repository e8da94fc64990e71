// Package quality measures how well memtree finds, on real data that is not part
// of the repository: run it with `make quality`. The data is read from the
// folder MEMTREE_SHARED names, ../shared beside the repository by default; where
// that is absent the tests say so and skip. The figures are golden tables, so
// that a change of them is seen in review.
package quality
