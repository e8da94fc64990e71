package gate

import (
	"os"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

type example struct {
	Refused                        string
	Title, Check, Mistake, Instead *string
	AppliesWhen                    []string `yaml:"appliesWhen"`
	NotWhen                        []string `yaml:"notWhen"`
	Cites                          []int
}

type examples struct {
	Name, Lang string
	Direction  taxonomy.Direction
	ErrorType  string `yaml:"errorType"`
	Cases      []struct{ ID, Prompt, Verdict, Note string }
	Draft      example
	Edits      []example
}

func (x *examples) about() *Subject {
	a := &Subject{Type: tree.Experience, ErrorType: x.ErrorType, Direction: x.Direction, Lang: x.Lang}
	for _, c := range x.Cases {
		n := &tree.Node{
			Type: tree.Case, Level: 1, ErrorType: x.ErrorType, Direction: x.Direction, Lang: x.Lang,
			Provenance: tree.Provenance{Analyst: "rules"},
			CaseData:   &tree.CaseData{TestCase: tree.TestCase{CaseID: c.ID, Prompt: c.Prompt}, EvaluatorReason: c.Note},
		}
		n.ID = tree.EvidenceID(n)
		a.Members = append(a.Members, n)
	}
	a.Shown = a.Members
	return a
}

func (x *examples) draft(e example, a *Subject) *Draft {
	or := func(s, other *string) string {
		if s != nil {
			return *s
		}
		return *other
	}
	d := &Draft{Title: or(e.Title, x.Draft.Title), AppliesWhen: x.Draft.AppliesWhen, NotWhen: x.Draft.NotWhen}
	if e.AppliesWhen != nil {
		d.AppliesWhen = e.AppliesWhen
	}
	if e.NotWhen != nil {
		d.NotWhen = e.NotWhen
	}
	l := tree.Lesson{Check: or(e.Check, x.Draft.Check), Mistake: or(e.Mistake, x.Draft.Mistake),
		Instead: or(e.Instead, x.Draft.Instead)}
	for i, n := range a.Members {
		if e.Cites == nil || len(e.Cites) > i {
			l.Cites = append(l.Cites, n.ID)
		}
	}
	d.Lessons = []tree.Lesson{l}
	d.Clean()
	return d
}

func readExamples(t *testing.T) []examples {
	t.Helper()
	b, err := os.ReadFile("testdata/examples.yaml")
	require.NoError(t, err)
	var file struct{ Groups []examples }
	require.NoError(t, yaml.Unmarshal(b, &file))
	return file.Groups
}

// A draft holds, and each edit of it is refused by the gate it is for.
func TestExamples(t *testing.T) {
	j := judge(t)
	for _, x := range readExamples(t) {
		for i, e := range x.Edits {
			a := x.about()
			d := x.draft(e, a)
			why := j.Refuses(a, d)
			if e.Refused == "" {
				if len(why) > 0 {
					t.Errorf("%s %d should hold: %v", x.Name, i, why)
				}
				continue
			}
			if !gateIn(why, e.Refused) {
				t.Errorf("%s %d should be refused by %s, not %v: %+v", x.Name, i, e.Refused, why, *d)
			}
		}
	}
}

func gateIn(why []string, name string) bool {
	for _, s := range why {
		if len(s) > len(name) && s[:len(name)+1] == name+":" {
			return true
		}
	}
	return false
}
