package transfer

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/memtree/memtree/tree"
)

// The seed form is a JSON array of the interfaces that memtree's design began with (MemoryNode, CaseMemoryNode), for
// readers in other languages. It has no status, scene, direction or origin, nor any other field that these interfaces
// lack.

// seedNode is MemoryNode, and with CaseData CaseMemoryNode.
type seedNode struct {
	ID        string       `json:"id"`
	Type      tree.Type    `json:"type"`
	Level     int          `json:"level"`
	ErrorType string       `json:"errorType"`
	Content   seedContent  `json:"content"`
	Metadata  seedMetadata `json:"metadata"`
	Children  []string     `json:"children"`
	Parent    string       `json:"parent,omitempty"`
	CaseData  *seedCase    `json:"caseData,omitempty"`
}

type seedContent struct {
	Description string  `json:"description"`
	Guidance    string  `json:"guidance"`
	Confidence  float64 `json:"confidence"`
}

type seedMetadata struct {
	CreatedAt   string  `json:"createdAt"`
	UpdatedAt   string  `json:"updatedAt"`
	UsageCount  int     `json:"usageCount"`
	SuccessRate float64 `json:"successRate"`
}

type seedCase struct {
	TestCase      tree.TestCase `json:"testCase"`
	AgentJudgment string        `json:"agentJudgment"`
	ActualError   string        `json:"actualError"`
	ErrorReason   string        `json:"errorReason"`
	AvoidanceHint string        `json:"avoidanceHint"`
}

// isoTime is the format of a JavaScript Date in JSON.
const isoTime = "2006-01-02T15:04:05.000Z"

// writeSeed writes nodes in the seed form.
func writeSeed(out io.Writer, nodes iter.Seq2[tree.Node, error]) error {
	w := bufio.NewWriter(out)
	before, end := "[\n", "[]\n"
	for n, err := range nodes {
		if err != nil {
			return err
		}
		if n.Buried() {
			continue // the seed form has no tombstones
		}
		buf := bytes.NewBufferString(before)
		enc := json.NewEncoder(buf)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(seedOf(&n)); err != nil {
			return fmt.Errorf("write %s in the seed form: %w", n.ID, err)
		}
		if _, err := w.Write(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))); err != nil {
			return fmt.Errorf("write the seed form: %w", err)
		}
		before, end = ",\n", "\n]\n"
	}
	_, err := w.WriteString(end)
	if err = cmp.Or(err, w.Flush()); err != nil {
		return fmt.Errorf("write the seed form: %w", err)
	}
	return nil
}

// seedOf returns a node in the seed form.
func seedOf(n *tree.Node) seedNode {
	out := seedNode{
		ID: n.ID, Type: n.Type, Level: n.Level, ErrorType: n.ErrorType, Children: sorted(n.Children), Parent: n.Parent,
		Content: seedContent{Description: n.Content.Description, Guidance: guidance(n), Confidence: n.Content.Confidence},
		Metadata: seedMetadata{
			CreatedAt: n.Metadata.CreatedAt.UTC().Format(isoTime), UpdatedAt: n.Metadata.UpdatedAt.UTC().Format(isoTime),
			UsageCount: n.Metadata.UsageCount, SuccessRate: n.Metadata.SuccessRate,
		},
	}
	if d := n.CaseData; d != nil {
		out.CaseData = &seedCase{TestCase: d.TestCase, AgentJudgment: d.AgentJudgment, ActualError: d.ActualError,
			ErrorReason: d.ErrorReason, AvoidanceHint: d.AvoidanceHint}
	}
	return out
}

// guidance returns the instructions of a node as one text.
func guidance(n *tree.Node) string {
	if n.Content.Guidance != "" {
		return n.Content.Guidance
	}
	out := ""
	for _, l := range n.Content.Lessons {
		if out != "" {
			out += "\n"
		}
		out += l.Check
		if l.Instead != "" {
			out += " " + l.Instead
		}
	}
	return out
}

// foreignNode is a node of the seed form, or of the file of the public implementation of that design, which has other
// names for some fields.
type foreignNode struct {
	ID        string      `json:"id"`
	Type      tree.Type   `json:"type"`
	ErrorType string      `json:"errorType"`
	Children  []string    `json:"children"`
	Parent    string      `json:"parent"`
	CaseData  *seedCase   `json:"caseData"`
	Metadata  foreignUse  `json:"metadata"`
	Content   foreignText `json:"content"`

	Context *struct {
		SceneID   string `json:"sceneId"`
		CaseID    string `json:"caseId"`
		ErrorType string `json:"errorType"`
		Prompt    string `json:"prompt"`
		RoutePath string `json:"routePath"`
	} `json:"context"`
	foreignUse
	Confidence     float64  `json:"confidence"`
	ChildrenIDs    []string `json:"childrenIds"`
	RelatedCaseIDs []string `json:"relatedCaseIds"`
}

type foreignText struct {
	seedContent
	Title    string   `json:"title"`
	Triggers []string `json:"triggers"`
}

type foreignUse struct {
	seedMetadata
	SuccessCount int `json:"successCount"`
}

// Foreign nodes are held in memory until all are known, so they have smaller
// limits.
const (
	maxForeignNodes = 50_000
	maxForeignBytes = 128 << 20
)

// readSeed reads the seed form, or the file of the public implementation of its design, and passes each node to take
// with its id in this tree. Cases that are the same in this tree are merged. A problem of the file is an
// *UnusableError.
func readSeed(r io.Reader, l limits, guess guesser, take func(tree.Node) error) error {
	limit := &valueLimit{r: r, most: min(l.bytes, maxForeignBytes), value: int64(l.line) + 64<<10}
	in := &foreign{dec: json.NewDecoder(limit), limit: limit, most: min(l.nodes, maxForeignNodes)}
	if err := in.read(); err != nil {
		if file, ok := errors.AsType[*UnusableError](err); ok {
			return file
		}
		if below, ok := errors.AsType[*readError](err); ok {
			return below.err
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return &UnusableError{Problem: "ends too early: it was cut off"}
		}
		return &UnusableError{Problem: fmt.Sprintf("is no export of memtree, and no tree in JSON (%v)", err)}
	}
	for _, n := range adopt(in.nodes, guess) {
		if err := take(n); err != nil {
			return err
		}
	}
	return nil
}

// valueLimit is a reader that fails after most bytes in all, and after value bytes since since
// was last set to 0. So one value cannot take all memory.
type valueLimit struct {
	r           io.Reader
	most, value int64
	all, since  int64
}

func (v *valueLimit) Read(p []byte) (int, error) {
	n, err := v.r.Read(p)
	v.all += int64(n)
	v.since += int64(n)
	switch {
	case v.all > v.most:
		return 0, &UnusableError{Problem: fmt.Sprintf("has more than %d bytes", v.most)}
	case v.since > v.value:
		return 0, &UnusableError{Problem: fmt.Sprintf("has a value of more than %d bytes", v.value)}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = &readError{err}
	}
	return n, err //nolint:wrapcheck // io.Reader's contract
}

// foreign is a JSON file being read.
type foreign struct {
	dec   *json.Decoder
	limit *valueLimit
	most  int
	nodes []foreignNode
}

var errNoTree = errors.New("an array of nodes was expected, or an object with nodes")

// token returns the next token and restarts the limit for one value.
func (in *foreign) token() (json.Token, error) {
	in.limit.since = 0
	return in.dec.Token()
}

// read reads an array of nodes or a tree, up to the end of the file.
func (in *foreign) read() error {
	t, err := in.token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('['):
		err = in.list(false)
	case json.Delim('{'):
		err = in.object()
	default:
		err = errNoTree
	}
	if err != nil {
		return err
	}
	if _, err := in.token(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = &UnusableError{Problem: "goes on after its end"}
		}
		return err
	}
	return nil
}

// object reads the members of a tree; it uses only its nodes.
func (in *foreign) object() error {
	found := false
	for in.dec.More() {
		name, err := in.token()
		if err != nil {
			return err
		}
		if name != "nodes" {
			if err := in.skip(); err != nil {
				return err
			}
			continue
		}
		if found {
			return &UnusableError{Problem: "has its nodes twice"}
		}
		found = true
		open, err := in.token()
		if err != nil {
			return err
		}
		if open != json.Delim('{') && open != json.Delim('[') {
			return errNoTree
		}
		if err := in.list(open == json.Delim('{')); err != nil {
			return err
		}
	}
	if _, err := in.token(); err != nil {
		return err
	}
	if !found {
		return errNoTree
	}
	return nil
}

// list reads nodes up to the end of an array, or with named up to the end of an object that has them as members.
func (in *foreign) list(named bool) error {
	for in.dec.More() {
		if named {
			if _, err := in.token(); err != nil {
				return err
			}
		}
		if len(in.nodes) >= in.most {
			return &UnusableError{Problem: fmt.Sprintf("has more than %d nodes, the most in this form", in.most)}
		}
		in.limit.since = 0
		var n foreignNode
		if err := in.dec.Decode(&n); err != nil {
			return err
		}
		in.nodes = append(in.nodes, n)
	}
	_, err := in.token()
	return err
}

// skip reads over a value without storing it.
func (in *foreign) skip() error {
	for depth := 0; ; {
		t, err := in.token()
		if err != nil {
			return err
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
	}
}

// foreignTime reads a time of RFC 3339. It returns the zero time for anything else.
func foreignTime(s string) time.Time {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
