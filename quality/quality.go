// Package quality measures how well memtree finds memories, on real data that is not part of the repository. Run it
// with `make quality`. It reads the data from the folder in MEMTREE_SHARED, by default ../shared beside the
// repository; without that folder the tests are skipped. The figures are golden tables, so that a review shows every
// change of them.
package quality
