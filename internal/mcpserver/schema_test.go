package mcpserver

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"
)

// TestEveryFieldIsDescribed: each argument has a description for agents, and described has no entry without a field.
func TestEveryFieldIsDescribed(t *testing.T) {
	said := map[string]bool{}
	var walk func(at string, s *jsonschema.Schema)
	walk = func(at string, s *jsonschema.Schema) {
		for name, p := range s.Properties {
			require.NotEmpty(t, p.Description, "%s.%s", at, name)
			said[p.Description] = true
			walk(at+"."+name, p)
		}
	}
	for name, s := range map[string]*jsonschema.Schema{
		"get_guidance": schemaOf[guidanceIn](), "search_memories": schemaOf[searchIn](), "get_memory": schemaOf[memoryIn](),
		"assess_verdict": schemaOf[riskIn](), "record_outcome": schemaOf[outcomeIn](), "record_case": schemaOf[caseIn](),
		"propose_memory": schemaOf[proposeIn](), "list_review_queue": schemaOf[queueIn](),
		"memory_stats": schemaOf[statsIn](),
	} {
		walk(name, s)
		require.NotNil(t, s.AdditionalProperties, "%s refuses fields it does not have", name)
	}
	var all func(s *jsonschema.Schema)
	all = func(s *jsonschema.Schema) {
		for _, p := range s.Properties {
			said[p.Description] = true
			all(p)
		}
		if s.Items != nil {
			all(s.Items)
		}
	}
	for _, s := range []*jsonschema.Schema{
		schemaOf[guidanceOut](), schemaOf[searchOut](), schemaOf[memoryOut](), schemaOf[riskOut](), schemaOf[outcomeOut](),
		schemaOf[caseOut](), schemaOf[proposeOut](), schemaOf[queueOut](), schemaOf[statsOut](),
	} {
		all(s)
	}
	for field, description := range described {
		require.True(t, said[description], "%s is no field", field)
	}
}

// TestAnswersAreAsTheirSchema: what a tool answers is what its schema promises, the empty answer
// too.
func TestAnswersAreAsTheirSchema(t *testing.T) {
	for _, out := range []struct {
		schema *jsonschema.Schema
		value  any
	}{
		{schemaOf[guidanceOut](), guidanceOut{Memories: []givenMemory{}}},
		{schemaOf[searchOut](), searchOut{Memories: []searchResult{{}}}},
		{schemaOf[memoryOut](), memoryOut{Says: []string{}, Children: []kin{{}},
			Evidence: &caseEvidence{Missed: []missed{{}}}}},
		{schemaOf[riskOut](), riskOut{Reasons: []reason{{}}}},
		{schemaOf[caseOut](), caseOut{Missed: []missed{}}},
		{schemaOf[queueOut](), queueOut{Queue: []queued{{Says: []string{}}}}},
		{schemaOf[statsOut](), statsOut{Statuses: map[string]int{"active": 1}, ErrorTypes: map[string]int{},
			Directions: map[string]int{}, Notes: []string{}}},
	} {
		b, err := marshal(out.value)
		require.NoError(t, err)
		require.Empty(t, problemOfAny(t, out.schema, b), "%s", b)
	}
}

func problemOfAny(t *testing.T, s *jsonschema.Schema, b []byte) string {
	t.Helper()
	r, err := s.Resolve(&jsonschema.ResolveOptions{})
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(b, &v))
	if err := r.Validate(v); err != nil {
		return err.Error()
	}
	return ""
}
