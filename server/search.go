package server

import (
	"context"

	"github.com/memtree/memtree/find"
)

type searchInput struct {
	InTree
	Text    string   `query:"text" required:"true" minLength:"1" maxLength:"1000" doc:"What is looked for"`
	Kinds   []string `query:"kind" maxItems:"8" doc:"case, experience, strategy, fact or element; left out: all"`
	Product string   `query:"product" maxLength:"1024"`
	Since   string   `query:"since" maxLength:"40" doc:"First day, UTC, such as 2026-01-28, or time, RFC 3339"`
	Until   string   `query:"until" maxLength:"40" doc:"Last day or time, as since"`
	Lang    string   `query:"lang" enum:"zh,en" doc:"Of lessons that have both"`
	Limit   int      `query:"limit" minimum:"1" maximum:"200" default:"20"`
}

// hits are what a search found.
type hits struct {
	Hits []searchHit `json:"hits" doc:"Of several kinds in turn, the best of each first"`
}

// searchHit is the name of [find.SearchHit] in the document of the interface.
type searchHit find.SearchHit

// search looks for a text in memories, facts and elements of the map.
func (s *Server) search(ctx context.Context, in *searchInput) (*reply[hits], error) {
	found, err := treeIn(ctx).Search(ctx, find.Search{Text: in.Text, Kinds: in.Kinds, Lang: in.Lang,
		Limit: in.Limit, Where: find.Query{Product: in.Product, Since: in.Since, Until: in.Until}})
	out := make([]searchHit, len(found))
	for i := range found {
		out[i] = searchHit(found[i])
	}
	return &reply[hits]{hits{out}}, err
}
