package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/memtree/memtree/internal/judgment"
	"github.com/memtree/memtree/taxonomy"
	"github.com/memtree/memtree/tree"
)

// jsonValue is a JSON value of the file, with its position.
type jsonValue struct {
	raw  []byte
	path string // of the object it is in, with a full stop at the end
	key  []byte
	at   int // offset in the object
}

func (g jsonValue) fieldName() string { return g.path + string(g.key) }

// slotValues holds the values of one object of the file, by slot.
type slotValues [slots]jsonValue

// object reads an object of the group g into rec. It skips unknown members.
func (p *parser) object(g objectKind, path string, rec *slotValues) *fault {
	return p.members(func(key []byte) *fault {
		s, known := spellings()[g][string(key)]
		at := p.i
		switch {
		case !known && g == top:
			p.unread.field(key)
			return p.ignore()
		case !known, g != top && s.slot == none:
			return p.ignore()
		case s.group != top && at < len(p.b) && p.b[at] == '{':
			return prefixField(key, p.object(s.group, string(key)+".", rec))
		case s.slot == none && s.group == verdict:
			return p.ignore() // an evaluation that is no object belongs to another tool
		}
		if bad := p.skip(); bad != nil {
			return prefixField(key, bad)
		}
		raw := p.b[at:p.i]
		if s.slot == none && string(raw) != "null" {
			return &fault{at: at, field: string(key), problem: "is " + kindOf(raw) + "; write an object"}
		}
		return rec.set(s.slot, jsonValue{raw: raw, path: path, key: key, at: at})
	})
}

// ignore consumes an ignored value.
func (p *parser) ignore() *fault {
	was := p.loose
	p.loose = true
	bad := p.skip()
	p.loose = was
	return bad
}

// set fills a slot. Null and an empty text are treated as absent, except that a judgment or ground truth may be empty.
// Two values for one slot have to be equal.
func (r *slotValues) set(s slot, g jsonValue) *fault {
	if s == none || string(g.raw) == "null" || string(g.raw) == `""` && s != slotJudgment && s != slotTruth {
		return nil
	}
	old := r[s]
	if old.raw == nil {
		r[s] = g
		return nil
	}
	if sameValue(s, old.raw, g.raw) {
		return nil
	}
	bad := disagree(old, g)
	bad.field = string(g.key) // the callers prepend the path
	return bad
}

// disagree returns the fault for two different values for one slot.
func disagree(old, g jsonValue) *fault {
	return &fault{at: g.at, field: g.fieldName(), problem: fmt.Sprintf("says %s but %s says %s; leave one of them out",
		brief(g.raw), old.fieldName(), brief(old.raw))}
}

// sameValue reports whether two values for a slot mean the same.
func sameValue(s slot, a, b []byte) bool {
	if s == slotAt {
		t, err := parseTime(a)
		u, err2 := parseTime(b)
		return err == nil && err2 == nil && t.Equal(u)
	}
	return bytes.Equal(a, b) || bytes.Equal(tree.Raw(a).Canonical(), tree.Raw(b).Canonical())
}

// brief returns a JSON value on one line, cut to 40 characters, for a message.
func brief(raw []byte) string {
	r := []rune(string(bytes.Join(bytes.Fields(raw), []byte(" "))))
	if len(r) > 40 {
		r = append(r[:40:40], '…')
	}
	return string(r)
}

// kindOf returns the kind of a JSON value for a message.
func kindOf(raw []byte) string {
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

// evaluation decodes the record into an evaluation and checks it. It reports ignored fields to unread.
func (r *slotValues) evaluation(unread *unreadFields) (tree.Evaluation, *fault) {
	if bad := r.standIn(); bad != nil {
		return tree.Evaluation{}, bad
	}
	r.takeNote(unread)
	d := slotDecoder{rec: r}
	e := tree.Evaluation{
		ID: d.text(slotID), RunID: d.text(slotRun), CaseID: d.text(slotCase), Attempt: d.count(slotAttempt),
		At:    d.time(slotAt),
		Scene: tree.Scene{ID: d.text(slotSceneID), Type: d.text(slotSceneType), Route: d.text(slotRoute)},
		Scope: tree.Scope{Product: d.text(slotProduct), Suite: d.text(slotSuite), Test: d.text(slotTest),
			SuiteTests: d.texts(slotSuiteTests), Position: d.count(slotPosition), Build: d.text(slotBuild)},
		Prompt: d.text(slotPrompt), Observation: d.text(slotObservation), Judgment: d.json(slotJudgment),
		GroundTruth: d.json(slotTruth),
		Correct:     d.flag(slotCorrect), Direction: taxonomy.Direction(d.text(slotDirection)), Reason: d.text(slotReason),
		Agent: tree.Agent{Name: d.text(slotAgent), Version: d.text(slotVersion), Model: d.text(slotModel)},
		Trial: d.text(slotTrial), Evidence: d.evidence(), Excuse: d.excuse(),
	}
	if d.bad != nil {
		return tree.Evaluation{}, d.bad
	}
	if e.Prompt != "" && e.Judgment.Null() && !e.GroundTruth.Null() {
		return tree.Evaluation{}, &fault{field: "judgment",
			problem: "is missing: this is a test case with its ground truth, not a run; run the agent on it and add what it " +
				"judged"}
	}
	if err := e.Check(); err != nil {
		return tree.Evaluation{}, r.inFileWords(err)
	}
	if err := judgment.Denied(&e, r.fieldName(slotJudgment), r.fieldName(slotTruth)); err != nil {
		return tree.Evaluation{}, r.inFileWords(err)
	}
	return e, nil
}

// fieldName returns the key of a slot in the file, or memtree's own name.
func (r *slotValues) fieldName(s slot) string {
	if r[s].raw == nil {
		return canonical[s]
	}
	return r[s].fieldName()
}

// inFileWords turns an error of Check into a fault under the file's own name of the field.
func (r *slotValues) inFileWords(err error) *fault {
	var f *tree.FieldError
	if !errors.As(err, &f) {
		return &fault{problem: err.Error()}
	}
	for s, name := range canonical {
		if name == f.Field && r[s].raw != nil {
			return &fault{at: r[s].at, field: r[s].fieldName(), problem: f.Problem}
		}
	}
	return &fault{field: f.Field, problem: f.Problem}
}

// slotDecoder decodes slots into Go values. It records the first fault.
type slotDecoder struct {
	rec *slotValues
	bad *fault
}

// fail records a fault of the value, unless one is recorded already.
func (d *slotDecoder) fail(g jsonValue, problem string) {
	if d.bad == nil {
		d.bad = &fault{at: g.at, field: g.fieldName(), problem: problem}
	}
}

// text decodes a string, "" if it is absent.
func (d *slotDecoder) text(s slot) string {
	g := d.rec[s]
	if g.raw == nil {
		return ""
	}
	if g.raw[0] != '"' {
		d.fail(g, "is "+kindOf(g.raw)+"; write it as a string")
		return ""
	}
	return unquote(g.raw[1 : len(g.raw)-1])
}

// texts decodes an array of strings.
func (d *slotDecoder) texts(s slot) []string {
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

// count decodes a whole number, 0 if it is absent; Check decides about its range.
func (d *slotDecoder) count(s slot) int {
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

// flag decodes true or false, nil if it is absent.
func (d *slotDecoder) flag(s slot) *bool {
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

// json returns a copy of a value, without the line breaks of a pretty-printed file.
func (d *slotDecoder) json(s slot) tree.Raw {
	raw := d.rec[s].raw
	if bytes.IndexByte(raw, '\n') >= 0 {
		var b bytes.Buffer
		if json.Compact(&b, raw) == nil {
			return b.Bytes()
		}
	}
	return bytes.Clone(raw)
}

// evidence decodes the evidence of a test tool. It ignores a text or a list, which other tools have under this name.
func (d *slotDecoder) evidence() *tree.Evidence {
	g, e := d.rec[slotEvidence], &tree.Evidence{}
	if len(g.raw) == 0 || g.raw[0] != '{' {
		return nil
	}
	if err := json.Unmarshal(g.raw, e); err != nil {
		d.fail(g, "cannot be read; it has failure, steps, pictures and links")
	}
	if e.Empty() {
		return nil
	}
	return e
}

// time decodes a time, zero if it is absent.
func (d *slotDecoder) time(s slot) time.Time {
	g := d.rec[s]
	if g.raw == nil {
		return time.Time{}
	}
	t, err := parseTime(g.raw)
	if err != nil {
		d.fail(g, "is "+brief(g.raw)+"; write the time of the run as 2026-01-28T09:00:00Z, or in seconds or milliseconds "+
			"since 1970")
	}
	return t
}

// inMillis is the number from which a time is in milliseconds, not seconds: the year
// 2001 as milliseconds, the year 33658 as seconds.
const inMillis = 1e12

// parseTime reads a time: RFC 3339, or seconds or milliseconds since 1970.
func parseTime(raw []byte) (time.Time, error) {
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
