package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/memtree/memtree/find"
	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// Limits on a page of memories.
const (
	mostNodes = 200
	pageBytes = 4 << 20 // a page ends after the memory that reaches this
)

type nodesInput struct {
	InTree
	Choosing
	Level  tree.Type   `query:"level" enum:"case,experience,strategy"`
	Status tree.Status `query:"status" enum:"probation,active,quarantined,retired,archived,banned"`
	Limit  int         `query:"limit" minimum:"1" maximum:"200" default:"50"`
	Cursor string      `query:"cursor" maxLength:"64" pattern:"^([ces]_[A-Za-z0-9_]+)?$" doc:"next of the page before"`
}

// nodes is a page of memories.
type nodes struct {
	Nodes []tree.Node `json:"nodes" doc:"Sorted by id"`
	Next  string      `json:"next,omitempty" doc:"The cursor of the next page; left out on the last"`
}

// nodes lists memories, sorted by id. Since ids are stable, pages have no memory twice and miss none, even if
// something is recorded meanwhile.
func (s *Server) nodes(ctx context.Context, in *nodesInput) (*reply[nodes], error) {
	out := &reply[nodes]{nodes{Nodes: []tree.Node{}}}
	q, err := in.query()
	if err != nil {
		return nil, err
	}
	f := q.Filter()
	f.Level, f.Status, f.After = in.Level.Level(), in.Status, in.Cursor
	f, ofStatus := find.ByStanding(f)
	size := 0
	for n, err := range treeIn(ctx).Tree().Scan(ctx, f) {
		if err != nil {
			return nil, err
		}
		if !ofStatus(&n) || !q.HasNode(&n) {
			continue
		}
		if k := len(out.Body.Nodes); k == in.Limit || size >= pageBytes {
			out.Body.Next = out.Body.Nodes[k-1].ID
			break
		}
		size += bytesOf(&n)
		out.Body.Nodes = append(out.Body.Nodes, n)
	}
	return out, nil
}

// bytesOf returns the approximate size of a memory.
func bytesOf(n *tree.Node) int {
	const frame = 1 << 10
	size := frame + len(n.Content.Guidance) + len(n.Content.Description) + 200*len(n.Occurrences)
	if n.CaseData != nil {
		if b, err := json.Marshal(n.CaseData); err == nil {
			size += len(b)
		}
	}
	return size
}

type nodeInput struct {
	InTree
	ID          string `path:"id" maxLength:"64" doc:"Of the memory"`
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer; 304 if it still holds"`
}

type nodeOutput struct {
	ETag         string `header:"ETag"`
	CacheControl string `header:"Cache-Control"`
	Body         lineage
}

// lineage is a memory with its evidence, its parents and its children.
type lineage struct {
	Node  tree.Node  `json:"node"`
	Above []relative `json:"above" doc:"Experiences of a case, strategies of an experience"`
	Below []relative `json:"below" doc:"What it stands on, at most 1000"`
}

// relative is a memory above or below another.
type relative struct {
	ID     string      `json:"id"`
	Type   tree.Type   `json:"type"`
	Title  string      `json:"title"`
	Status tree.Status `json:"status"`

	revision int
}

// mostKin is the maximum number of memories below that are listed.
const mostKin = 1000

func (s *Server) node(ctx context.Context, in *nodeInput) (*nodeOutput, error) {
	out := &nodeOutput{CacheControl: "private, no-cache", Body: lineage{Above: []relative{}, Below: []relative{}}}
	t := treeIn(ctx).Tree()
	n, err := t.Get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	out.Body.Node = n
	if n.Level < tree.Strategy.Level() {
		for up, err := range t.Scan(ctx, store.Filter{Level: n.Level + 1}) {
			if err != nil {
				return nil, err
			}
			if slices.Contains(up.Children, n.ID) {
				out.Body.Above = append(out.Body.Above, kin(&up))
			}
		}
	}
	for _, id := range n.Children[:min(mostKin, len(n.Children))] {
		down, err := t.Get(ctx, id)
		if err != nil {
			return nil, fmt.Errorf("what %s stands on: %w", n.ID, err)
		}
		out.Body.Below = append(out.Body.Below, kin(&down))
	}
	out.ETag = etag(&out.Body)
	if in.IfNoneMatch == out.ETag {
		return nil, &unchanged{out.ETag}
	}
	return out, nil
}

func kin(n *tree.Node) relative {
	const most = 200
	title := n.Content.Title
	if title == "" {
		title = n.Content.Description
	}
	return relative{n.ID, n.Type, text.Clip(text.Line(title), most), n.Status, n.Revision}
}

// etag identifies the memory and its kin by their revisions, which change with their content.
func etag(l *lineage) string {
	h := sha256.New()
	one := func(id string, revision int) { _, _ = io.WriteString(h, fmt.Sprintf("%s %d\n", id, revision)) }
	one(l.Node.ID, l.Node.Revision)
	for _, k := range l.Above {
		one(k.ID, k.revision)
	}
	for _, k := range l.Below {
		one(k.ID, k.revision)
	}
	return `"` + hex.EncodeToString(h.Sum(nil)[:12]) + `"`
}

// unchanged is the answer that the client's copy is current.
type unchanged struct{ etag string }

func (u *unchanged) Error() string           { return "not modified" }
func (u *unchanged) GetStatus() int          { return http.StatusNotModified }
func (u *unchanged) GetHeaders() http.Header { return http.Header{"Etag": {u.etag}} }
