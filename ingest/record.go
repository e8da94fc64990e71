package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/memtree/memtree/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// given is a value of the file: its JSON, and how the file named it.
type given struct {
	raw  []byte
	path string // of the object it stands in, with a full stop at the end
	key  []byte
	at   int // offset in the object
}

func (g given) name() string { return g.path + string(g.key) }

// record is what one object of the file gave, by slot.
type record [slots]given

// object reads a known object into rec and skips what it does not know.
func (p *parser) object(g group, path string, rec *record) *fault {
	return p.members(func(key []byte) *fault {
		s, known := spellings(g, key)
		at := p.i
		switch {
		case !known, g != top && s.slot == none:
			return p.ignore()
		case s.group != top && at < len(p.b) && p.b[at] == '{':
			return under(key, p.object(s.group, string(key)+".", rec))
		case s.slot == none && s.group == verdict:
			return p.ignore() // other tools mean other things by evaluation
		}
		if bad := p.skip(); bad != nil {
			return under(key, bad)
		}
		raw := p.b[at:p.i]
		if s.slot == none && string(raw) != "null" {
			return &fault{at: at, field: string(key), problem: "is " + kind(raw) + "; write an object"}
		}
		return rec.set(s.slot, given{raw: raw, path: path, key: key, at: at})
	})
}

// ignore reads a value that means nothing here.
func (p *parser) ignore() *fault {
	was := p.loose
	p.loose = true
	bad := p.skip()
	p.loose = was
	return bad
}

// set fills a slot. Null fills nothing, nor does an empty text. A slot that is
// full already must have been filled with the same.
func (r *record) set(s slot, g given) *fault {
	if s == none || string(g.raw) == "null" || string(g.raw) == `""` && s != slotJudgment && s != slotTruth {
		return nil
	}
	old := r[s]
	if old.raw == nil {
		r[s] = g
		return nil
	}
	if same(s, old.raw, g.raw) {
		return nil
	}
	bad := disagree(old, g)
	bad.field = string(g.key) // the path is put before it on the way out
	return bad
}

// disagree says that two values for one slot are not the same.
func disagree(old, g given) *fault {
	return &fault{at: g.at, field: g.name(), problem: fmt.Sprintf("says %s but %s says %s; leave one of them out",
		brief(g.raw), old.name(), brief(old.raw))}
}

func same(s slot, a, b []byte) bool {
	if s == slotAt {
		t, err := moment(a)
		u, err2 := moment(b)
		return err == nil && err2 == nil && t.Equal(u)
	}
	return bytes.Equal(a, b) || bytes.Equal(tree.Raw(a).Canonical(), tree.Raw(b).Canonical())
}

// brief shows a JSON value in a message.
func brief(raw []byte) string {
	r := []rune(string(bytes.Join(bytes.Fields(raw), []byte(" "))))
	if len(r) > 40 {
		r = append(r[:40:40], '…')
	}
	return string(r)
}

// kind names what a JSON value is.
func kind(raw []byte) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return string(raw)
	case 'n':
		return "null"
	}
	return "a number"
}

// evaluation turns what was given into an evaluation and checks it.
func (r *record) evaluation() (tree.Evaluation, *fault) {
	if bad := r.standIn(); bad != nil {
		return tree.Evaluation{}, bad
	}
	d := decoder{rec: r}
	e := tree.Evaluation{
		ID: d.text(slotID), RunID: d.text(slotRun), CaseID: d.text(slotCase), Attempt: d.count(slotAttempt), At: d.time(slotAt),
		Scene: tree.Scene{ID: d.text(slotSceneID), Type: d.text(slotSceneType), Route: d.text(slotRoute)},
		Scope: tree.Scope{Product: d.text(slotProduct), Suite: d.text(slotSuite), Test: d.text(slotTest),
			SuiteTests: d.texts(slotSuiteTests), Position: d.count(slotPosition), Build: d.text(slotBuild)},
		Prompt: d.text(slotPrompt), Observation: d.text(slotObservation), Judgment: d.json(slotJudgment), GroundTruth: d.json(slotTruth),
		Correct: d.flag(slotCorrect), Direction: taxonomy.Direction(d.text(slotDirection)), Reason: d.text(slotReason),
		Agent: tree.Agent{Name: d.text(slotAgent), Version: d.text(slotVersion), Model: d.text(slotModel)},
		Trial: d.text(slotTrial),
	}
	if d.bad != nil {
		return tree.Evaluation{}, d.bad
	}
	if e.Prompt != "" && e.Judgment.Null() && !e.GroundTruth.Null() {
		return tree.Evaluation{}, &fault{field: "judgment", problem: "is missing: this is a test case with its ground truth, not a run; run the agent on it and add what it judged"}
	}
	if err := e.Check(); err != nil {
		return tree.Evaluation{}, r.law(err)
	}
	if err := judgment.Contradiction(&e, r.name(slotJudgment), r.name(slotTruth)); err != nil {
		return tree.Evaluation{}, r.law(err)
	}
	return e, nil
}

// name returns how the file names a slot, or its own name where the file does not.
func (r *record) name(s slot) string {
	if r[s].raw == nil {
		return canonical[s]
	}
	return r[s].name()
}

// law puts the file's own name for a field into what Check found.
func (r *record) law(err error) *fault {
	var f *tree.FieldError
	if !errors.As(err, &f) {
		return &fault{problem: err.Error()}
	}
	for s, name := range canonical {
		if name == f.Field && r[s].raw != nil {
			return &fault{at: r[s].at, field: r[s].name(), problem: f.Problem}
		}
	}
	return &fault{field: f.Field, problem: f.Problem}
}

// decoder turns given values into Go values and keeps the first fault.
type decoder struct {
	rec *record
	bad *fault
}

func (d *decoder) fail(g given, problem string) {
	if d.bad == nil {
		d.bad = &fault{at: g.at, field: g.name(), problem: problem}
	}
}

func (d *decoder) text(s slot) string {
	g := d.rec[s]
	if g.raw == nil {
		return ""
	}
	if g.raw[0] != '"' {
		d.fail(g, "is "+kind(g.raw)+"; write it as a string")
		return ""
	}
	return unquote(g.raw[1 : len(g.raw)-1])
}

func (d *decoder) texts(s slot) []string {
	g := d.rec[s]
	if g.raw == nil {
		return nil
	}
	var all []string
	if err := json.Unmarshal(g.raw, &all); err != nil {
		d.fail(g, "is "+brief(g.raw)+"; write an array of strings, the tests of the suite in order")
	}
	return all
}

func (d *decoder) count(s slot) int {
	g := d.rec[s]
	if g.raw == nil {
		return 0
	}
	n, err := strconv.Atoi(string(g.raw))
	if err != nil {
		d.fail(g, "is "+brief(g.raw)+"; write a whole number")
	}
	return n
}

func (d *decoder) flag(s slot) *bool {
	g := d.rec[s]
	if g.raw == nil {
		return nil
	}
	is := string(g.raw) == "true"
	if !is && string(g.raw) != "false" {
		d.fail(g, "is "+brief(g.raw)+"; write true or false, without quotes")
	}
	return &is
}

// json copies a value, without the line breaks of a file that was pretty-printed.
func (d *decoder) json(s slot) tree.Raw {
	raw := d.rec[s].raw
	if bytes.IndexByte(raw, '\n') >= 0 {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil {
			return b.Bytes()
		}
	}
	return bytes.Clone(raw)
}

func (d *decoder) time(s slot) time.Time {
	g := d.rec[s]
	if g.raw == nil {
		return time.Time{}
	}
	t, err := moment(g.raw)
	if err != nil {
		d.fail(g, "is "+brief(g.raw)+"; write the time of the run as 2026-01-28T09:00:00Z, or in seconds or milliseconds since 1970")
	}
	return t
}

// inMillis is from where a number is milliseconds rather than seconds: the year
// 2001 in the one, the year 33658 in the other.
const inMillis = 1e12

// moment reads a time: RFC 3339, or a number of seconds or milliseconds since 1970.
func moment(raw []byte) (time.Time, error) {
	if raw[0] == '"' {
		t, err := time.Parse(time.RFC3339Nano, unquote(raw[1:len(raw)-1]))
		return t.UTC(), err
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.Abs(n) >= 1e15 {
		return time.Time{}, fmt.Errorf("read time %s: %w", raw, strconv.ErrRange)
	}
	if math.Abs(n) >= inMillis {
		return time.UnixMilli(int64(n)).UTC(), nil
	}
	seconds, fraction := math.Modf(n)
	return time.Unix(int64(seconds), int64(math.Round(fraction*1e6))*1e3).UTC(), nil
}
