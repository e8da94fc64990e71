// Package scale_test measures what a company's runs come to: a server with a thousand trees, and the grouping of a
// hundred million cases by (product, direction, check), which a night's evolve begins with. make scale runs it.
package scale_test

import (
	"bufio"
	"cmp"
	"container/heap"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
)

// A row is a case in the shuffle: 128 bits of the hash of its group, and 128 of its id. What a group needs of the cases
// themselves is read when the group is at hand.
type row [4]uint64

const rowSize = 32

func compareRows(a, b row) int {
	for i := range a {
		if a[i] != b[i] {
			return cmp.Compare(a[i], b[i])
		}
	}
	return 0
}

func (r row) group() [2]uint64 { return [2]uint64{r[0], r[1]} }

// runRows is how many rows are sorted in memory: 128 MB.
const runRows = 4 << 20

// made draws cases: their groups by a Zipf law, as some products have far more runs than others.
type made struct {
	groups [][2]uint64
	draw   *rand.Zipf
	r      *rand.Rand
	counts []int
}

// newMade has the groups of some products: each direction of each check of the built-in taxonomy.
func newMade(t *testing.T, products int) *made {
	t.Helper()
	m := &made{r: rand.New(rand.NewPCG(1, 2))} //nolint:gosec // seeded
	for p := range products {
		for _, c := range taxonomy.Default().Checks() {
			for _, d := range []taxonomy.Direction{taxonomy.FalsePass, taxonomy.FalseFail, taxonomy.Other} {
				sum := sha256.Sum256(fmt.Appendf(nil, "product %d %s %s", p, d, c.ID))
				m.groups = append(m.groups, [2]uint64{binary.BigEndian.Uint64(sum[:]), binary.BigEndian.Uint64(sum[8:])})
			}
		}
	}
	m.r.Shuffle(len(m.groups), func(i, j int) { m.groups[i], m.groups[j] = m.groups[j], m.groups[i] })
	m.draw = rand.NewZipf(m.r, 1.1, 50, uint64(len(m.groups)-1)) //nolint:gosec // a count
	m.counts = make([]int, len(m.groups))
	return m
}

func (m *made) next() row {
	i := m.draw.Uint64()
	m.counts[i]++
	return row{m.groups[i][0], m.groups[i][1], m.r.Uint64(), m.r.Uint64()}
}

// TestShuffle groups made cases by an external sort: sorted runs on disk, merged once. Every group has the cases that
// were made of it. MEMTREE_CASES is how many, MEMTREE_PRODUCTS how many products (1,000).
func TestShuffle(t *testing.T) {
	n := number("MEMTREE_CASES", 0)
	if n == 0 {
		t.Skip("make scale runs this")
	}
	m := newMade(t, number("MEMTREE_PRODUCTS", 1000))
	dir := t.TempDir()
	begun := time.Now()
	var sorting time.Duration
	var runs []string
	rows := make([]row, 0, min(n, runRows))
	for left := n; left > 0; {
		rows = rows[:0]
		for range min(left, runRows) {
			rows = append(rows, m.next())
		}
		left -= len(rows)
		at := time.Now()
		slices.SortFunc(rows, compareRows)
		sorting += time.Since(at)
		runs = append(runs, spill(t, filepath.Join(dir, strconv.Itoa(len(runs))), rows))
	}
	spilled := time.Since(begun)
	t.Logf("%d cases of %d groups: %d sorted runs, %.1f GB, in %s, of which sorting %s; memory %s", n, len(m.groups),
		len(runs), float64(n)*rowSize/1e9, spilled.Round(time.Second/10), sorting.Round(time.Second/10), peak())
	rows = nil
	runtime.GC()
	begun = time.Now()
	seen, largest := map[[2]uint64]int{}, 0
	merge(t, runs, func(group [2]uint64, cases int) {
		if _, ok := seen[group]; ok {
			t.Fatal("a group comes in two parts")
		}
		seen[group], largest = cases, max(largest, cases)
	})
	took := time.Since(begun)
	for i, g := range m.groups {
		if m.counts[i] != seen[g] {
			t.Fatalf("group %d has %d cases, and %d were made", i, seen[g], m.counts[i])
		}
	}
	t.Logf("merged into %d groups, the largest of %d cases, in %s, %.1f million cases/s; memory %s", len(seen), largest,
		took.Round(time.Second/10), float64(n)/1e6/took.Seconds(), peak())
}

// spill writes rows into a file and returns its path.
func spill(t *testing.T, path string, rows []row) string {
	t.Helper()
	f, err := os.Create(path) //nolint:gosec // in the test's folder
	require.NoError(t, err)
	w := bufio.NewWriterSize(f, 1<<20)
	var b [rowSize]byte
	for i := range rows {
		for j, x := range rows[i] {
			binary.BigEndian.PutUint64(b[8*j:], x)
		}
		if _, err = w.Write(b[:]); err != nil {
			t.Fatal(err)
		}
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
	return path
}

// cursor is the place in a sorted run.
type cursor struct {
	r   *bufio.Reader
	b   [rowSize]byte
	row row
}

// next reads the next row.
func (c *cursor) next() error {
	_, err := io.ReadFull(c.r, c.b[:])
	for j := range c.row {
		c.row[j] = binary.BigEndian.Uint64(c.b[8*j:])
	}
	return err
}

type cursors []*cursor

func (c cursors) Len() int           { return len(c) }
func (c cursors) Less(i, j int) bool { return compareRows(c[i].row, c[j].row) < 0 }
func (c cursors) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cursors) Push(x any)        { *c = append(*c, x.(*cursor)) }
func (c *cursors) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// merge reads sorted runs as one, and calls each with every group and how many cases it has.
func merge(t *testing.T, runs []string, each func(group [2]uint64, cases int)) {
	t.Helper()
	var all cursors
	for _, path := range runs {
		f, err := os.Open(path) //nolint:gosec // in the test's folder
		require.NoError(t, err)
		defer f.Close()
		c := &cursor{r: bufio.NewReaderSize(f, 1<<20)}
		require.NoError(t, c.next())
		all = append(all, c)
	}
	heap.Init(&all)
	var group [2]uint64
	cases := 0
	for len(all) > 0 {
		c := all[0]
		if next := c.row.group(); next != group || cases == 0 {
			if cases > 0 {
				each(group, cases)
			}
			group, cases = next, 0
		}
		cases++
		if err := c.next(); err == nil {
			heap.Fix(&all, 0)
			continue
		} else if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		heap.Pop(&all)
	}
	each(group, cases)
}

// number returns a variable as a number.
func number(name string, without int) int {
	if n, err := strconv.Atoi(strings.ReplaceAll(os.Getenv(name), "_", "")); err == nil {
		return n
	}
	return without
}

// peak returns the most memory that the process has had.
func peak() string {
	b, _ := os.ReadFile("/proc/self/status") // elsewhere it is not known
	_, rest, _ := strings.Cut(string(b), "VmHWM:")
	kb, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, err := strconv.Atoi(kb)
	if err != nil {
		return "unknown"
	}
	return fmt.Sprintf("%d MB", n/1000)
}
