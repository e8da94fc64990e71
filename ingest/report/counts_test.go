package report_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/tree"
)

// counted holds the numbers of a report, computed without our readers: testdata/make/count.py takes the tools' own
// sums, and the numbers that they do not sum up are counted by hand in by_hand.csv.
type counted struct{ pass, fail, other, none, rightLabels, wrongLabels int }

// counts reads a table with the columns report, pass, fail, other, none, right and wrong; a column may be missing.
func counts(t *testing.T, name string, to map[string]*counted) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, row := range rows[1:] {
		c := to[row[0]]
		if c == nil {
			c = &counted{}
			to[row[0]] = c
		}
		for i, column := range rows[0][1:] {
			if row[i+1] == "" {
				continue
			}
			n, err := strconv.Atoi(row[i+1])
			require.NoError(t, err)
			*map[string]*int{"pass": &c.pass, "fail": &c.fail, "other": &c.other, "none": &c.none, "right": &c.rightLabels,
				"wrong": &c.wrongLabels}[column] = n
		}
	}
}

func (c *counted) add(e *tree.Evaluation) {
	said := judgment.PolarityOf(judgment.Decode(e.Judgment))
	switch said {
	case judgment.Passes:
		c.pass++
	case judgment.Fails:
		c.fail++
	default:
		c.other++
	}
	is := judgment.PolarityOf(judgment.Decode(e.GroundTruth))
	switch {
	case e.Correct != nil && *e.Correct, e.Correct == nil && is != judgment.Unread && is == said:
		c.rightLabels++
	case e.Correct != nil, is != judgment.Unread:
		c.wrongLabels++
	}
}

// TestCounts: every run of every sample is read, with the verdict that the tool gave, and no label is there that the
// file does not have.
func TestCounts(t *testing.T) {
	want := map[string]*counted{}
	counts(t, "counts.csv", want)
	counts(t, "by_hand.csv", want)
	reports, runs, labels := 0, 0, 0
	for _, f := range sampled {
		for name, files := range samples(t, f) {
			reports++
			id := string(f) + "/" + name
			es, _, skipped := readAll(t, f, options(t, f, name), files...)
			got := counted{none: skipped}
			for i := range es {
				got.add(&es[i])
			}
			runs, labels = runs+len(es), labels+got.rightLabels+got.wrongLabels
			if want[id] == nil {
				t.Errorf("%s is counted nowhere; here it is %+v", id, got)
				continue
			}
			if *want[id] != got {
				t.Errorf("%s: %+v where %+v was counted", id, got, *want[id])
			}
			delete(want, id)
		}
	}
	for id := range want {
		t.Errorf("%s is counted, and is not there", id)
	}
	t.Logf("%d reports, %d runs, %d labels", reports, runs, labels)
	require.GreaterOrEqual(t, reports, 60)
}

// mappingOf is the file with the mapping of a sample.
func mappingOf(name string) string {
	return "testdata/map/" + strings.TrimSuffix(name, filepath.Ext(name)) + ".yaml"
}
