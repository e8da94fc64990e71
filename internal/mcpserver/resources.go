package mcpserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/memtree/memtree/internal/text"
	"github.com/memtree/memtree/store"
	"github.com/memtree/memtree/tree"
)

// The addresses of the resources.
const (
	treeURI     = "memtree://tree"
	taxonomyURI = "memtree://taxonomy"
	nodeURI     = "memtree://node/"
)

// mostListed is the maximum number of memories in memtree://tree.
const mostListed = 500

func (s *server) addResources(x *mcp.Server) {
	const kind = "application/json"
	x.AddResource(&mcp.Resource{URI: treeURI, Name: "tree", MIMEType: kind,
		Title:       s.say("All memories", "全部记忆"),
		Description: "The memories in use by id, strategies first; get_memory or memtree://node/{id} reads one."},
		s.reading(func(ctx context.Context, _ string) (any, error) { return s.listed(ctx) }))
	x.AddResource(&mcp.Resource{URI: taxonomyURI, Name: "taxonomy", MIMEType: kind,
		Title:       s.say("Words of the memory", "记忆用词"),
		Description: "Error types, scene types, directions and kinds of check, with their names."},
		s.reading(func(context.Context, string) (any, error) { return s.taxonomy(), nil }))
	x.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: nodeURI + "{id}", Name: "node", MIMEType: kind,
		Title:       s.say("One memory", "一条记忆"),
		Description: "One memory whole, as get_memory reads it."},
		s.reading(func(ctx context.Context, uri string) (any, error) {
			id, err := url.PathUnescape(strings.TrimPrefix(uri, nodeURI))
			if err != nil || len(id) > 64 {
				return nil, tree.ErrNotFound
			}
			n, err := s.m.Tree().Get(ctx, id)
			if err != nil {
				return nil, err
			}
			return s.memoryOf(ctx, &n, "")
		}))
}

// reading returns the handler of a resource.
func (s *server) reading(read func(ctx context.Context, uri string) (any, error)) mcp.ResourceHandler {
	return func(ctx context.Context, req *mcp.ReadResourceRequest) (_ *mcp.ReadResourceResult, err error) {
		defer s.recovered(req.Params.URI, &err)
		v, err := read(ctx, req.Params.URI)
		if errors.Is(err, tree.ErrNotFound) {
			return nil, mcp.ResourceNotFoundError(req.Params.URI)
		}
		if err != nil {
			return nil, s.wireError(err)
		}
		b, err := marshal(v)
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
			{URI: req.Params.URI, MIMEType: "application/json", Text: string(b)},
		}}, nil
	}
}

// recovered turns a panic into an error.
func (s *server) recovered(what string, err *error) {
	if p := recover(); p != nil {
		s.o.Logger.Error("a request failed", "of", text.Clip(what, maxName), "panic", p)
		*err = errors.New("memtree made a mistake in this request; go on without memory")
	}
}

// listing is the content of memtree://tree.
type listing struct {
	About    string   `json:"about"`
	InUse    int      `json:"in_use"`
	Memories []listed `json:"memories"` // at most mostListed
}

type listed struct {
	givenMemory
	Name   string `json:"name,omitempty"`
	Status string `json:"status"`
	Parent string `json:"parent,omitempty"`
}

// listed lists the memories in use, lessons first.
func (s *server) listed(ctx context.Context) (listing, error) {
	out := listing{About: asData, Memories: []listed{}}
	for level := tree.Strategy.Level(); level > 0; level-- {
		for n, err := range s.m.Tree().Scan(ctx, store.Filter{Level: level}) {
			if err != nil {
				return out, fmt.Errorf("list the tree: %w", err)
			}
			if !n.Live() {
				continue
			}
			if out.InUse++; len(out.Memories) < mostListed {
				out.Memories = append(out.Memories, listed{givenOf(&n), s.nameOf(&n, ""), statusOf(&n), n.Parent})
			}
		}
	}
	slices.SortStableFunc(out.Memories, func(a, b listed) int {
		levels := cmp.Compare(tree.Type(b.Type).Level(), tree.Type(a.Type).Level())
		return cmp.Or(levels, cmp.Compare(a.ErrorType, b.ErrorType))
	})
	return out, nil
}

// words is the content of memtree://taxonomy.
type words struct {
	ErrorTypes []catalogueEntry `json:"error_types"`
	SceneTypes []catalogueEntry `json:"scene_types"`
	Directions []catalogueEntry `json:"directions"`
	Checks     []catalogueEntry `json:"checks"`
}

type catalogueEntry struct {
	ID         string   `json:"id"`
	EN         string   `json:"en"`
	ZH         string   `json:"zh"`
	ErrorTypes []string `json:"error_types,omitempty"`
}

func (s *server) taxonomy() words {
	t := s.m.Taxonomy()
	out := words{Directions: []catalogueEntry{
		{ID: "false_pass", EN: "a defect was missed", ZH: "漏报：漏掉了缺陷"},
		{ID: "false_fail", EN: "a defect was reported that is not there", ZH: "误报：报告了不存在的缺陷"},
		{ID: "other", EN: "wrong in another way", ZH: "其他错误"},
	}}
	for _, e := range t.ErrorTypes() {
		out.ErrorTypes = append(out.ErrorTypes, catalogueEntry{ID: e.ID, EN: e.Name.EN, ZH: e.Name.ZH})
	}
	for _, c := range t.SceneTypes() {
		out.SceneTypes = append(out.SceneTypes, catalogueEntry{ID: c.ID, EN: c.Name.EN, ZH: c.Name.ZH})
	}
	for _, c := range t.Checks() {
		out.Checks = append(out.Checks, catalogueEntry{ID: c.ID, EN: c.Name.EN, ZH: c.Name.ZH, ErrorTypes: c.ErrorTypes})
	}
	return out
}
